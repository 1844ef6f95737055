/* Own sin, cos, exp, log, pow in double, for host code on a path to stored bytes: libm differs between
 * machines, these do not. Built from + - * / (correctly rounded by IEEE 754) without contraction. Each says
 * its range and the bound that its error keeps on dense samples (measured against long double in
 * tests/unit/dmath_test.c, not proven); outside the range the result is stated and never undefined. */
#ifndef TR_BASE_DMATH_H
#define TR_BASE_DMATH_H

/* |radians| <= 2^20, else NaN; at most 0.9 ulp of the result or 2^-100, whichever is larger */
double tr_sin(double radians);
double tr_cos(double radians);
double tr_exp(double x); /* -708 <= x <= 709, below 0, above infinity; at most 0.7 ulp */
double tr_log(double x); /* x normal and > 0, else NaN; at most 0.51 ulp */
/* x normal and > 0, at most 0.7 ulp; 0 or infinity where y log x leaves the range of tr_exp. pow(x, 0) = 1,
 * pow(0, y > 0) = 0, else NaN. A result that a double holds exactly is exact, as in pow(3, 2) or pow(0.25,
 * 0.5). */
double tr_pow(double x, double y);

/* The lesser and the greater of two numbers, neither of which is NaN; the first where they are equal. */
static inline double tr_least(double a, double b)
{
    return b < a ? b : a;
}
static inline double tr_greatest(double a, double b)
{
    return b > a ? b : a;
}

#endif
