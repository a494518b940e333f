/* What force laws are made of; written by law_files.py from law_parts.py, change that instead. */
#ifndef KINETAB_LAWS_LIST_H
#define KINETAB_LAWS_LIST_H

#define KT_ARGUMENTS(X) \
    X(EXTENSION, extension) \
    X(COMPRESSION, compression) \
    X(RATE, rate)

#define KT_SIDES(X) \
    X(BOTH, both) \
    X(BEYOND, beyond)

/* Single parameters, whether a table follows them, whether the curve is a straight line. */
#define KT_CURVES(X) \
    X(LINEAR, linear, 1, 0, 1) \
    X(TABLE, table, 0, 1, 0) \
    X(CONSTANT, constant, 1, 0, 1)

#endif
