using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Ipc.Rpc.Codec.Tests.Generation;

/// <summary>The same message in other bytes, as protobuf allows them and no encoder writes them.</summary>
/// <remarks>
/// Numbers and tags in more bytes than they need, with bits that do not count; bools that are neither 0 nor 1; lists packed, unpacked and in
/// pieces; messages in pieces, fields that are overwritten later, fields and groups that nobody knows in between.
/// </remarks>
internal sealed class Rewriting(Random random, bool alsoMapValues)
{
    private const int Unknown = 15_000;

    /// <param name="payload">The message.</param>
    /// <param name="type">What it is.</param>
    /// <param name="random">Decides.</param>
    /// <param name="alsoMapValues">Whether a message in a map may come in pieces, too: C++ merges them, the C# reference takes the last.</param>
    public static byte[] Of(byte[] payload, MessageDescriptor type, Random random, bool alsoMapValues = true)
    {
        var output = new MemoryStream();
        foreach (byte[] field in new Rewriting(random, alsoMapValues).Fields(payload, type))
            output.Write(field);
        return output.ToArray();
    }

    /// <summary>The fields, one by one, each as it stands with its tag.</summary>
    private List<byte[]> Fields(byte[] payload, MessageDescriptor type)
    {
        var fields = new List<byte[]>();
        var input = new CodedInputStream(payload);
        for (uint tag = input.ReadTag(); tag != 0; tag = input.ReadTag())
        {
            if (random.Next(6) == 0)
                fields.Add(Stranger(3));
            FieldDescriptor field = type.FindFieldByNumber(WireFormat.GetTagFieldNumber(tag))!;
            switch (WireFormat.GetTagWireType(tag))
            {
                case WireFormat.WireType.Varint:
                    ulong value = input.ReadUInt64();
                    if (random.Next(6) == 0 && !field.IsRepeated)
                        fields.Add(Join(Tag(tag), Varint(0, 10))); // a value that fits any type: each one is looked at, also if it is not the last
                    fields.Add(Join(Tag(tag), Number(field, value)));
                    break;
                case WireFormat.WireType.Fixed32:
                    fields.Add(Join(Tag(tag), BitConverter.GetBytes(input.ReadFixed32())));
                    break;
                case WireFormat.WireType.Fixed64:
                    fields.Add(Join(Tag(tag), BitConverter.GetBytes(input.ReadFixed64())));
                    break;
                default:
                    Lengthy(fields, field, tag, input.ReadBytes().ToByteArray());
                    break;
            }
        }

        return fields;
    }

    private void Lengthy(List<byte[]> fields, FieldDescriptor field, uint tag, byte[] content)
    {
        if (field.FieldType == FieldType.Message)
        {
            List<byte[]> inner = Fields(content, field.MessageType);
            while (!field.IsRepeated && (alsoMapValues || !IsMapEntry(field.ContainingType)) && random.Next(3) == 0)
            {
                int cut = random.Next(inner.Count + 1);
                fields.Add(Join(Tag(tag), Counted(inner.Take(cut))));
                if (random.Next(3) == 0)
                    fields.Add(Stranger(2));
                inner = inner.Skip(cut).ToList();
            }

            fields.Add(Join(Tag(tag), Counted(inner)));
        }
        else if (field.IsRepeated && field.FieldType is not (FieldType.String or FieldType.Bytes))
        {
            Packed(fields, field, tag, content);
        }
        else
        {
            if (random.Next(6) == 0 && !field.IsRepeated)
                fields.Add(Join(Tag(tag), Counted(Array.Empty<byte[]>())));
            fields.Add(Join(Tag(tag), Counted(new[] { content })));
        }
    }

    /// <summary>A packed list, in pieces of which each may be packed or one element that is not.</summary>
    private void Packed(List<byte[]> fields, FieldDescriptor field, uint tag, byte[] content)
    {
        int size = field.FieldType switch
        {
            FieldType.Fixed32 or FieldType.SFixed32 or FieldType.Float => 4,
            FieldType.Fixed64 or FieldType.SFixed64 or FieldType.Double => 8,
            _ => 0,
        };
        var elements = new List<byte[]>();
        var input = new CodedInputStream(content);
        while (!input.IsAtEnd)
            elements.Add(size == 4 ? BitConverter.GetBytes(input.ReadFixed32()) : size == 8 ? BitConverter.GetBytes(input.ReadFixed64()) : Number(field, input.ReadUInt64()));

        uint single = (tag & ~7u) | (size == 4 ? 5u : size == 8 ? 1u : 0u);
        while (elements.Count > 0)
        {
            int count = random.Next(3) == 0 ? 1 : random.Next(elements.Count + 1);
            if (count == 1 && random.Next(2) == 0)
                fields.Add(Join(Tag(single), elements[0]));
            else
                fields.Add(Join(Tag(tag), Counted(elements.Take(count))));
            elements.RemoveRange(0, count);
        }
    }

    private static bool IsMapEntry(MessageDescriptor type) => type.GetOptions()?.MapEntry == true;

    private byte[] Number(FieldDescriptor field, ulong value)
    {
        if (random.Next(3) != 0)
            return Varint(value, random.Next(1, 11));

        return field.FieldType switch
        {
            FieldType.Bool => Varint(value == 0 ? 0 : ((ulong)random.NextInt64() << 1) | 2, 10),
            FieldType.Int32 or FieldType.UInt32 or FieldType.SInt32 or FieldType.Enum => Varint((uint)value | ((ulong)random.Next() << 32), 10), // what is beyond 32 bits does not count
            _ => Varint(value, 10),
        };
    }

    private byte[] Stranger(int depth)
    {
        uint number = (uint)(Unknown + random.Next(1000)) << 3;
        switch (random.Next(depth > 0 ? 5 : 4))
        {
            case 0:
                return Join(Tag(number), Varint((ulong)random.NextInt64(), 10));
            case 1:
                return Join(Tag(number | 5), new byte[4]);
            case 2:
                return Join(Tag(number | 1), new byte[8]);
            case 3:
                return Join(Tag(number | 2), Counted(new[] { new byte[random.Next(20)] }));
            default:
                return Join(Tag(number | 3), Join(Enumerable.Range(0, random.Next(3)).Select(_ => Stranger(depth - 1)).ToArray()), Tag(number | 4));
        }
    }

    private byte[] Tag(uint tag) => Varint(tag, random.Next(3) == 0 ? random.Next(1, 6) : 1);

    private byte[] Counted(IEnumerable<byte[]> parts)
    {
        byte[] content = Join(parts.ToArray());
        return Join(Varint((ulong)content.Length, random.Next(4) == 0 ? random.Next(1, 6) : 1), content);
    }

    /// <summary>In at least so many bytes; in the tenth there are bits that do not count.</summary>
    private byte[] Varint(ulong value, int least)
    {
        var bytes = new List<byte>();
        for (; value >= 0x80; value >>= 7)
            bytes.Add((byte)(value | 0x80));
        bytes.Add((byte)value);
        while (bytes.Count < least)
        {
            bytes[^1] |= 0x80;
            bytes.Add(0);
        }

        if (bytes.Count == 10)
            bytes[9] |= (byte)(random.Next(64) << 1);
        return bytes.ToArray();
    }

    private static byte[] Join(params byte[][] parts) => parts.SelectMany(static p => p).ToArray();
}
