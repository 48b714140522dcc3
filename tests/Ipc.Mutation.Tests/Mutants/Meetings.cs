namespace Ipc;

internal static partial class Mutants
{
    private static readonly object s_gate = new();
    private static nint s_place;
    private static bool s_isMet;
    private static int s_meetings;
    private static int s_alone;

    public static unsafe bool Store(ulong* at, ulong value) => Meet((nint)at, () => Atomic.StoreRelease(ref *at, value));

    public static unsafe bool Store(uint* at, uint value) => Meet((nint)at, () => Atomic.StoreRelease(ref *at, value));

    /// <summary>
    /// Instead of a CAS that has looked already: who comes here waits a moment for another one that has seen the same, and both store before either
    /// goes on. Left to chance, two meet in every run on one machine and in none on another.
    /// </summary>
    private static bool Meet(nint at, System.Action store)
    {
        lock (s_gate)
        {
            if (s_place == at && !s_isMet)
            {
                s_isMet = true;
                store();
                int meeting = s_meetings;
                System.Threading.Monitor.PulseAll(s_gate);
                while (s_meetings == meeting)
                    System.Threading.Monitor.Wait(s_gate);
            }
            else if (s_place != 0 || s_alone == 500) // a second in all, for tests in which nobody else comes
            {
                store();
            }
            else
            {
                s_place = at;
                System.Threading.Monitor.Wait(s_gate, 2);
                store();
                s_alone += s_isMet ? 0 : 1;
                s_place = 0;
                s_isMet = false;
                s_meetings++;
                System.Threading.Monitor.PulseAll(s_gate);
            }
        }

        return true;
    }
}
