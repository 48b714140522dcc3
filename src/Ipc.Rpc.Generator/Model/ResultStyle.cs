namespace Ipc.Rpc.Generator;

/// <summary>How a C# method hands over its result.</summary>
internal enum ResultStyle
{
    Void,
    Value,
    Task,
    TaskOfValue,
    ValueTask,
    ValueTaskOfValue,
    Stream,
}
