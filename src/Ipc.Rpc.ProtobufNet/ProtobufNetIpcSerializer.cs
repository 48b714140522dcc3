using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using ProtoBuf;
using ProtoBuf.Meta;

namespace Ipc.Rpc;

/// <summary>Messages as protobuf, by protobuf-net: for types that only its model knows, such as those with subtypes.</summary>
/// <remarks>
/// The format is that of the generated codecs, so the peer need not have it, and either side can read the other. The generated
/// codecs are several times as fast: use this for what they cannot do, by <see cref="IpcSerializer.Codec"/> and a method made by hand,
/// or for a contract whose types are configured in a model.
/// </remarks>
public sealed class ProtobufNetIpcSerializer : IpcSerializer
{
    internal const string AtRunTime = "protobuf-net looks at types and writes serializers for them at run time: use the generated codecs, or give a compiled model.";

    private readonly TypeModel _model;

    /// <summary>Uses a model made by <see cref="CreateModel"/>.</summary>
#if NET
    [RequiresDynamicCode(AtRunTime)]
    [RequiresUnreferencedCode(AtRunTime)]
#endif
    public ProtobufNetIpcSerializer()
        : this(CreateModel())
    {
    }

    /// <summary>Uses <paramref name="model"/>: one that was made by <see cref="CreateModel"/> and configured further, or one that was compiled.</summary>
    public ProtobufNetIpcSerializer(TypeModel model)
        : base(ProtobufFormat, "protobuf-net") => _model = model ?? throw new ArgumentNullException(nameof(model));

    /// <summary>A model that speaks proto3 as the generated codecs do: numbers in lists are packed; DateTime and TimeSpan are the well-known messages,
    /// Guid and decimal are text (compatibility level 300).</summary>
#if NET
    [RequiresDynamicCode(AtRunTime)]
    [RequiresUnreferencedCode(AtRunTime)]
#endif
    public static RuntimeTypeModel CreateModel()
    {
        var model = RuntimeTypeModel.Create();
        model.DefaultCompatibilityLevel = CompatibilityLevel.Level300;
        model.AfterApplyDefaultBehaviour += static (_, added) => Adapt(added.MetaType);
        return model;
    }

    /// <inheritdoc/>
#if NET
    [UnconditionalSuppressMessage("Trimming", "IL2091", Justification = "A model that is made at run time says so where it is made; a compiled one looks at no members.")]
#endif
    protected override void Write<T>(IBufferWriter<byte> destination, in T message)
    {
        if (message is null)
            throw new ArgumentNullException(nameof(message), "A message is null, which protobuf cannot express.");
        _model.Serialize(destination, message);
    }

    /// <inheritdoc/>
#if NET
    [UnconditionalSuppressMessage("Trimming", "IL2091", Justification = "A model that is made at run time says so where it is made; a compiled one looks at no members.")]
#endif
    protected override T Read<T>(ReadOnlyMemory<byte> payload) => _model.Deserialize<T>(payload);

#if NET
    [RequiresDynamicCode(AtRunTime)]
    [RequiresUnreferencedCode(AtRunTime)]
#endif
    private static void Adapt(MetaType type)
    {
        const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        bool isMade = type.Type.IsClass && !type.Type.IsAbstract && type.Type.GetConstructor(Any, null, Type.EmptyTypes, null) is null;
        if (isMade)
            type.SetFactory(typeof(Blank<>).MakeGenericType(type.Type).GetMethod(nameof(Blank<object>.Create))!);

        foreach (ValueMember field in type.GetFields())
        {
            if (field.ItemType is { } element && (element.IsPrimitive || element.IsEnum))
                field.IsPacked = true;
        }
    }
}
