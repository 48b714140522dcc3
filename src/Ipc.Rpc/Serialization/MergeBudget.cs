namespace Ipc.Rpc;

/// <summary>What may be copied while one message is read, so that pieces within pieces within pieces cost no more than
/// so many times their size.</summary>
internal sealed class MergeBudget
{
    private const int Floor = 1 << 20;
    private const int Times = 64;

    private long _left;

    public MergeBudget(int payload) => _left = Floor + ((long)payload * Times);

    public void Take(int bytes, int offset)
    {
        _left -= bytes;
        if (_left < 0)
            ProtoThrow.Error(
                ProtoError.TooDeep, offset, "Messages that come in pieces are nested too deep to be joined");
    }
}
