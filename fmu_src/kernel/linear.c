/* Small dense linear algebra. */
#include "kernel.h"

/* Solve a x = right for several columns, right (n, columns), by elimination with pivoting; 0 if a is singular. */
int kt_lu_solve(double *a, int n, double *right, int columns) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)best * n + k])) best = i;
        double pivot = a[(size_t)best * n + k];
        if (!(fabs(pivot) > 0.0) || !isfinite(pivot)) return 0;
        if (best != k) {
            for (int j = k; j < n; j++) {
                double keep = a[(size_t)k * n + j];
                a[(size_t)k * n + j] = a[(size_t)best * n + j];
                a[(size_t)best * n + j] = keep;
            }
            for (int j = 0; j < columns; j++) {
                double keep = right[(size_t)k * columns + j];
                right[(size_t)k * columns + j] = right[(size_t)best * columns + j];
                right[(size_t)best * columns + j] = keep;
            }
        }
        for (int i = k + 1; i < n; i++) {
            double factor = a[(size_t)i * n + k] / pivot;
            for (int j = k + 1; j < n; j++) a[(size_t)i * n + j] -= factor * a[(size_t)k * n + j];
            for (int j = 0; j < columns; j++) right[(size_t)i * columns + j] -= factor * right[(size_t)k * columns + j];
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < columns; j++) {
            double sum = right[(size_t)i * columns + j];
            for (int k = i + 1; k < n; k++) sum -= a[(size_t)i * n + k] * right[(size_t)k * columns + j];
            right[(size_t)i * columns + j] = sum / a[(size_t)i * n + i];
        }
    return 1;
}

/* Of a symmetric a (n, n), by Jacobi's rotations; a is lost. */
double kt_smallest_eigenvalue(double *a, int n) {
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0.0, all = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                all += fabs(a[i * n + j]);
                if (i != j) off += fabs(a[i * n + j]);
            }
        if (off <= 1e-15 * all) break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (a[p * n + q] == 0.0) continue;
                double theta = 0.5 * (a[q * n + q] - a[p * n + p]) / a[p * n + q];
                double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                }
            }
    }
    double least = n ? a[0] : 0.0;
    for (int i = 1; i < n; i++) least = fmin(least, a[i * n + i]);
    return least;
}
