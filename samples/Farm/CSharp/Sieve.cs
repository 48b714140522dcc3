using System;
using System.Threading;

namespace Farm;

/// <summary>The sieve of Eratosthenes over a piece of the numbers.</summary>
internal static class Sieve
{
    public static long Count(long from, long to, CancellationToken cancellationToken)
    {
        from = Math.Max(from, 2);
        if (to <= from)
            return 0;
        bool[] isComposite = new bool[to - from];
        for (long factor = 2; factor * factor < to; factor++)
        {
            cancellationToken.ThrowIfCancellationRequested(); // the caller has gone, or its deadline has passed
            long first = Math.Max(factor * factor, (from + factor - 1) / factor * factor);
            for (long multiple = first; multiple < to; multiple += factor)
                isComposite[multiple - from] = true;
        }

        return isComposite.AsSpan().Count(false);
    }
}
