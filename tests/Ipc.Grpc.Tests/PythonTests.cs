using System.ComponentModel;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Builder;
using Xunit;

namespace Ipc.Grpc.Tests;

/// <summary>A client that nobody here wrote: python's gRPC, which asks by reflection what there is (grpc_client.py).</summary>
public sealed class PythonTests : GatewayTest
{
    private static string Script => Path.Combine(PeerPrograms.Top, "tests", "Ipc.Grpc.Tests", "grpc_client.py");

    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public async Task PythonCallsAServerOfEitherLanguageByReflection(Language language)
    {
        string? python = Python();
        Assert.SkipWhen(python is null, "there is no python with gRPC (Debian: python3-grpcio, python3-protobuf)");
        Peer(language);
        await StartAsync(map: static app =>
        {
            app.MapIpcService<ITests>(Name);
            app.MapIpcReflection();
        });
        using OtherProcess client = new(false, null, python!, Script, Address["http://".Length..]);
        await Task.Run(client.MustEndWell, Hang);
    }

    /// <summary>The first that has it: the one of the path need not be the one that the system's packages are for.</summary>
    private static string? Python() => new[] { "python3", "/usr/bin/python3" }.FirstOrDefault(static python =>
    {
        try
        {
            using Process check = Process.Start(new ProcessStartInfo(python, [Script, "--check"]) { RedirectStandardError = true })!;
            check.StandardError.ReadToEnd();
            check.WaitForExit();
            return check.ExitCode == 0;
        }
        catch (Win32Exception)
        {
            return false; // no such program
        }
    });
}
