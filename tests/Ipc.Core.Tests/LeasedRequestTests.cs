using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Microsoft.Win32.SafeHandles;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A client that has taken a lease on the file of its request. Who opens such a file waits until the holder gives it up, or the kernel takes it after 45 seconds, unless he
/// has said that he does not wait.</summary>
public sealed partial class LeasedRequestTests : RegionTest
{
    private const int SetSignal = 10, SetLease = 1024, WriteLease = 1, HarmlessSignal = 23;

    [Fact]
    public async Task ItHoldsUpNobody()
    {
        using Listener listener = Listener.Open("leased");
        Task<Connection> greedy = Connection.ConnectAsync("leased", new ConnectOptions { Deadline = Deadline.Never, LoanBudget = 0 }, None);
        Watchdog.Until(() => Regions.FilesOf("leased").Count == 2, "the request");
        string path = Path.Combine(Regions.Path, Regions.FilesOf("leased").Single(static name => name != "leased"));
        string copy = Path.Combine(Regions.Path, "copy");
        File.Copy(path, copy); // its own library has the other one open
        File.Move(copy, path, overwrite: true);
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        int descriptor = (int)file.DangerousGetHandle();
        Assert.Equal(0, Control(descriptor, SetSignal, HarmlessSignal)); // SIGIO would end this process
        Assert.Equal(0, Control(descriptor, SetLease, WriteLease));

        Background serving = Run(() =>
        {
            Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
            next.Connection.Accept();
            listener.Return(next.Connection);
        });
        using (Connection honest = await Connection.ConnectAsync("leased", new ConnectOptions { Deadline = Deadline.FromMilliseconds(20_000), LoanBudget = 0 }, None))
            Assert.True(honest.IsOpen);
        serving.Join();
        await Assert.ThrowsAsync<ConnectionRefusedException>(() => greedy.WaitAsync(Watchdog.Patience));
    }

    [LibraryImport("libc", EntryPoint = "fcntl")]
    private static partial int Control(int descriptor, int command, int argument);
}
