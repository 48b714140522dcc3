using System;
using System.Collections.Generic;

namespace Ipc.Hosting;

/// <summary>A server's.</summary>
internal sealed class IpcServerOptionsValidator : IpcOptionsValidator<IpcServerOptions>
{
    private protected override void Check(IpcServerOptions options, List<string> wrong)
    {
        CheckName(options.Name, "a server's", wrong);
        if (options.DrainTimeout < TimeSpan.Zero)
            wrong.Add("DrainTimeout is " + options.DrainTimeout + "; it cannot be negative.");
        if (options.Rpc is null)
            wrong.Add("Rpc is null.");
        else
            CheckServer(string.Empty, options.Rpc, wrong);
    }
}
