using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace Ipc.Matrix;

/// <summary>Processes that do nothing but keep processors busy, until disposed.</summary>
internal sealed class BusyLoops : IDisposable
{
    private readonly List<Process> _processes = [];

    public BusyLoops(int count)
    {
        // It ends by itself when this process does: reading ends then, and nothing must stay behind to spoil what is measured next.
        const string Loop = "(while :; do :; done) & read -r _; kill $!";
        for (int i = 0; i < count; i++)
            _processes.Add(Process.Start(new ProcessStartInfo("/bin/sh", ["-c", Loop]) { RedirectStandardInput = true })!);
    }

    public void Dispose()
    {
        foreach (Process process in _processes)
        {
            process.StandardInput.Close();
            process.WaitForExit();
            process.Dispose();
        }
    }
}
