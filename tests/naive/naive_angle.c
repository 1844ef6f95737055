/* The angle is n quarter turns and a rest within 1/8 turn, the rest a sum hi + lo of two doubles. Of the rest the
 * Taylor series gives sin (to x^17) or cos (to x^18), from the last term on; n mod 4 says which, and its sign. */
#include "tests/naive/naive_angle.h"
#include "tests/naive/naive_float.h"

struct sum {
    double hi, lo;
};

/* a + b without error. */
static struct sum add(double a, double b)
{
    struct sum s = {.hi = a + b};
    double of_b = s.hi - a;
    s.lo = (a - (s.hi - of_b)) + (b - of_b);
    return s;
}

/* pi / 2 in parts so short that their product with a number of quarter turns is exact; the last is not. */
static const double quarter[4] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};

static struct sum rest_of_turn(double radians, int64_t *turns)
{
    double count = radians * 0x1.45f306dc9c883p-1; /* 2 / pi */
    *turns = (int64_t)(radians < 0 ? count - 0.5 : count + 0.5);
    double n = (double)*turns;
    struct sum rest = add(radians - n * quarter[0], -(n * quarter[1]));
    return add(rest.hi, rest.lo - n * quarter[2] - n * quarter[3]);
}

/* 1 / k! ; k! is exact up to 18. */
static double inverse_factorial(int k)
{
    double factorial = 1.0;
    for (int i = 2; i <= k; i++)
        factorial *= i;
    return 1.0 / factorial;
}

/* The terms first, first - 2, ... last of a series with alternating signs, the last one of sign `sign`, divided
 * by the power of x in the last. z = x^2. */
static double series(double z, int first, int last, double sign)
{
    double sum = 0.0;
    for (int k = first; k >= last; k -= 2) {
        double term_sign = (k - last) / 2 % 2 == 0 ? sign : -sign;
        sum = sum * z + term_sign * inverse_factorial(k);
    }
    return sum;
}

static double sin_of_rest(struct sum x)
{
    double z = x.hi * x.hi;
    return x.hi + (x.hi * z * series(z, 17, 3, -1.0) + x.lo * (1.0 - 0.5 * z));
}

static double cos_of_rest(struct sum x)
{
    double z = x.hi * x.hi;
    struct sum head = add(1.0, -(0.5 * z));
    return head.hi + (head.lo + (z * z * series(z, 18, 4, 1.0) - x.hi * x.lo));
}

/* sin of the angle and `more` quarter turns. */
static double sin_turned(double radians, int more)
{
    int64_t turns;
    struct sum rest = rest_of_turn(radians, &turns);
    int quadrant = (int)(((turns + more) % 4 + 4) % 4);
    double value = quadrant % 2 == 0 ? sin_of_rest(rest) : cos_of_rest(rest);
    return quadrant < 2 ? value : -value;
}

double naive_sin(double radians)
{
    return sin_turned(radians, 0);
}

double naive_cos(double radians)
{
    return sin_turned(radians, 1);
}

/* The same in float: the rest is one number, from a quarter turn in three parts; series to x^9 and x^8. Of the factors
 * one is not the float nearest to what it stands for. */
void naive_turn(float radians, float *sine, float *cosine)
{
    float x = naive_between(radians, -8192.0f, 8192.0f);
    float turns = floorf(x * (float)0.63661977236758134 + 0.5f);
    float r = x - turns * 1.5703125f;
    r = r - turns * (float)4.8375129699707031e-4;
    r = r - turns * (float)7.5497899548918822e-8;
    float z = r * r;
    float s = z * (float)(1.0 / 362880.0) - (float)(1.0 / 5040.0);
    s = (s * z + 8.3333333e-3f) * z - (float)(1.0 / 6.0); /* 1 / 120 = 8.33333377e-3f */
    s = (s * z) * r + r;
    float c = z * (float)(1.0 / 40320.0) - (float)(1.0 / 720.0);
    c = ((c * z + (float)(1.0 / 24.0)) * z - 0.5f) * z + 1.0f;
    const float around[4] = {s, c, 0.0f - s, 0.0f - c}; /* the sine, a quarter turn on each time */
    int first = ((int)turns % 4 + 4) % 4;
    *sine = around[first];
    *cosine = around[(first + 1) % 4];
}
