namespace Ipc.Rpc.Serializers.Tests.Annotated;

/// <summary>Messages of both libraries in one contract, as they are.</summary>
[IpcService("serializers.annotated.v1")]
public interface IAnnotated
{
    Parcel Send(Parcel parcel);

    Reading Read(Reading reading);

    string Route(Stop from, Stop? to, int count);
}

internal sealed class Annotated : IAnnotated
{
    public Parcel Send(Parcel parcel) => parcel;

    public Reading Read(Reading reading) => reading;

    public string Route(Stop from, Stop? to, int count) => $"{from.Place} {to?.Place ?? "nowhere"} {count}";
}
