using System;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using Quotes;

internal static class Program
{
    private static async Task Main(string[] arguments)
    {
        await Client.Run(arguments[0]);
        Console.WriteLine("a call and a stream, by " + RuntimeInformation.FrameworkDescription);
    }
}
