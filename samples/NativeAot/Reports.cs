using System;

namespace NativeAot;

/// <summary>Progress in order: some may be left out for newer ones.</summary>
internal sealed class Reports : IProgress<Reading>
{
    private double _last;

    public bool AreRising { get; private set; } = true;

    public void Report(Reading value)
    {
        AreRising &= value.Celsius > _last;
        _last = value.Celsius;
    }
}
