namespace Ipc.Native;

/// <summary>What a listener of named connections has lent of a connection. What is lent may be closed at any time, the
/// rest while no thread is in the listener's wait.</summary>
internal enum NativeNamedLoan
{
    None = 0,
    Login = 1,
    Readable = 2,
}
