namespace NAMESPACE;

internal static partial class Mutants
{
    private static readonly int s_on = int.Parse(System.Environment.GetEnvironmentVariable("IPC_MUTANT") ?? "0");

    public static bool On(int number) => number == s_on;
}
