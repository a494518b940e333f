"""precompute"""
