using System.Globalization;

namespace Sysmon;

/// <summary>The command line: <c>[--name NAME] [--socket PATH] [--kill PID] tour|pair|show|many TIMES</c>.</summary>
internal sealed record Options(string Name, string? SocketPath, int KillProcess, string Verb, int Times = 0)
{
    public static Options? Parse(string[] args)
    {
        var options = new Options("sysmon", null, 0, "");
        for (int i = 0; i < args.Length; i++)
        {
            bool more = i + 1 < args.Length;
            switch (args[i])
            {
                case "--name" when more:
                    options = options with { Name = args[++i] };
                    break;
                case "--socket" when more:
                    options = options with { SocketPath = args[++i] };
                    break;
                case "--kill" when more && int.TryParse(args[i + 1], NumberStyles.None, CultureInfo.InvariantCulture, out int pid):
                    options = options with { KillProcess = pid };
                    i++;
                    break;
                case "tour" or "pair" or "show":
                    options = options with { Verb = args[i] };
                    break;
                case "many" when more && int.TryParse(args[i + 1], NumberStyles.None, CultureInfo.InvariantCulture, out int times):
                    options = options with { Verb = args[i], Times = times };
                    i++;
                    break;
                default:
                    return null;
            }
        }
        return options.Verb.Length == 0 ? null : options;
    }
}
