namespace Ipc;

/// <summary>A pending call of one kind of object. It is rented for its owner, and goes back where it came from when its
/// result has been taken.</summary>
/// <typeparam name="TSelf">The wait itself: each kind has a pool of its own.</typeparam>
/// <typeparam name="TOwner">Whose call it is.</typeparam>
/// <typeparam name="TCondition">What it waits for.</typeparam>
/// <typeparam name="TResult">What becomes of it.</typeparam>
internal abstract class OwnedWait<TSelf, TOwner, TCondition, TResult> : AsyncWait<TCondition, TResult>
    where TSelf : OwnedWait<TSelf, TOwner, TCondition, TResult>, new()
    where TOwner : class
    where TCondition : struct, IWaitCondition
{
    private static readonly AsyncWaitPool<TSelf> s_pool = new();

    private TOwner? _owner;

    private protected TOwner Owner => _owner!;

    public static TSelf Rent(TOwner owner)
    {
        TSelf wait = s_pool.Rent();
        wait._owner = owner;
        return wait;
    }

    private protected override void GiveBack()
    {
        _owner = null;
        s_pool.GiveBack((TSelf)this);
    }
}
