namespace IpcService._1;

public static class GreeterAddress
{
    /// <summary>The server is found by this name, on the machine and by the user that run it.</summary>
    public const string Name = "the-service-name";
}
