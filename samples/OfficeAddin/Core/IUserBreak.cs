namespace OfficeAddin;

/// <summary>A user who may lose patience with a function that waits, for hosts in which he can say so: Escape in Excel.</summary>
public interface IUserBreak
{
    /// <summary>Whether the calling thread can be told. If it can, requests are made on other threads, and this one asks now and then.</summary>
    bool IsPossible { get; }

    /// <summary>Whether he wants an end. Asked on a thread where it is possible, before each request and every 50 ms while one is under way; it throws nothing.</summary>
    bool HasCome();
}
