using System;
using System.Globalization;

namespace Ipc.Peer;

/// <summary>The options that all verbs take.</summary>
internal sealed class PeerOptions
{
    /// <summary>Without loans, unless --budget says otherwise: sizes up to the largest are then the ring's own.</summary>
    public RingOptions Ring { get; } = new() { LoanBudget = 0 };

    /// <summary>When waiting ends; for ever unless --timeout says otherwise.</summary>
    public Deadline Deadline { get; private set; } = Deadline.Never;

    public bool HasTimeout { get; private set; }

    private long? _capacity;

    public long CapacityOr(long standard) => _capacity ?? standard;

    public bool Take(string option, string value)
    {
        switch (option, value)
        {
            case ("--capacity", _):
                _capacity = Ring.Capacity = long.Parse(value, CultureInfo.InvariantCulture);
                return true;
            case ("--budget", _):
                Ring.LoanBudget = long.Parse(value, CultureInfo.InvariantCulture);
                return true;
            case ("--wait", "adaptive" or "spin" or "block"):
                Ring.WaitMode = Enum.Parse<WaitMode>(value, ignoreCase: true);
                return true;
            case ("--open", "any"):
                Ring.OpenMode = OpenMode.OpenOrCreate;
                return true;
            case ("--open", "create"):
                Ring.OpenMode = OpenMode.CreateNew;
                return true;
            case ("--open", "open"):
                Ring.OpenMode = OpenMode.OpenExisting;
                return true;
            case ("--timeout", _):
                Ring.OpenTimeout = TimeSpan.FromMilliseconds(double.Parse(value, CultureInfo.InvariantCulture));
                HasTimeout = true;
                Deadline = Deadline.After(Ring.OpenTimeout);
                return true;
            default:
                return false;
        }
    }
}
