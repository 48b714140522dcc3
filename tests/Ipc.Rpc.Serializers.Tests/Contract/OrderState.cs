namespace Ipc.Rpc.Serializers.Tests.Contract;

public enum OrderState
{
    Open,
    Paid,
    Sent,
}
