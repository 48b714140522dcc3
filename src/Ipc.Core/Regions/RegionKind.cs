namespace Ipc;

/// <summary>What a kind of region adds to the life of every region. There is one object of each kind; what an opening
/// of a region asks for and learns is in its <see cref="RegionEntrance"/>. Twin of <c>ipc_region_kind</c>.</summary>
/// <remarks>All but <see cref="CheckBody"/> are called under the region lock, or on a region that nobody else can see
/// yet. They can be interrupted by a kill at any point and are done again by whoever comes next.</remarks>
internal abstract class RegionKind
{
    public abstract KindNumber Number { get; }

    /// <summary>Of a new region of which nothing is asked. A kind that can say whether messages are in it makes regions
    /// that stay until they are empty.</summary>
    public virtual Lifetime DefaultLifetime => Lifetime.WhileUsed;

    /// <summary>Participant 0 cleans up after those that it knows: while it lives, others ask only whether the suspects
    /// do.</summary>
    public virtual bool FirstJudges => false;

    /// <summary>Checks the body of a region that somebody else wrote, and lets its entrance know where the parts
    /// are.</summary>
    public abstract void CheckBody(Region region);

    /// <summary>Whether the region is alive enough to enter; false: "not found". The dead have been cleaned up
    /// after.</summary>
    public virtual bool IsOpen(Region region) => region.HasLiveParticipant() || region.IsKept();

    /// <summary>Refuses (throws) what the roles do not allow, and takes over what a predecessor left. No entry is taken
    /// yet.</summary>
    public virtual void Admit(Region region, ParticipantRole role)
    {
    }

    /// <summary>The first entry that a participant of this role may take, and the one behind the last.</summary>
    public virtual (int First, int End) Entries(Region region, ParticipantRole role) =>
        (0, region.Geometry.ParticipantCapacity);

    /// <summary>The body still names this entry: it is not given to anybody.</summary>
    public virtual bool Names(Region region, int index) => false;

    /// <summary>Entry <paramref name="index"/> is live and ours: take the role.</summary>
    public virtual void Enter(Region region, int index, ParticipantRole role)
    {
    }

    /// <summary>Participant <paramref name="index"/> leaves in good order, or <paramref name="died"/>.
    /// Idempotent.</summary>
    public virtual void CleanUp(Region region, int index, bool died)
    {
    }

    /// <summary>Its entry is free now: tell who has to know. Before every waiter is signalled.</summary>
    public virtual void Freed(Region region, int index)
    {
    }

    /// <summary>Changes the word of every waiter in the body and wakes.</summary>
    public virtual void Wake(Region region)
    {
    }

    /// <summary>The region ends with this participant although others are live.</summary>
    public virtual bool Retires(int index) => false;

    /// <summary>In the middle of something, and nobody watches it yet.</summary>
    public virtual bool IsSuspect(Region region, int index) => false;

    /// <summary>Something was committed in it that nobody has received. The dead have been cleaned up after, nobody is
    /// attached.</summary>
    public virtual bool HoldsMessages(Region region) => false;

    /// <summary>A region of this kind that is in somebody's way is in use. The dead have been cleaned up
    /// after.</summary>
    public virtual bool IsTaken(Region region) => IsOpen(region);

    /// <summary>It is in use, and loses its name to one that is entered as <paramref name="successor"/> says. False:
    /// that is not asked for; throws when it cannot be.</summary>
    public virtual bool HandsOver(Region region, RegionEntrance successor) => false;

    /// <summary>Says that it is losing its name; or, when that failed, that it is not.</summary>
    public virtual void SayFollowed(Region region, bool followed)
    {
    }

    /// <summary>A left-over is about to be retired: remove what only it knows of.</summary>
    public virtual void Retire(Region region)
    {
    }
}
