namespace Ipc.Rpc;

/// <content>Fields that this side does not know.</content>
public ref partial struct ProtoReader
{
    private const uint VarintType = 0;
    private const uint Fixed64Type = 1;
    private const uint LengthType = 2;
    private const uint StartGroupType = 3;
    private const uint EndGroupType = 4;
    private const uint Fixed32Type = 5;

    /// <summary>Skips the field whose tag was just read, a group with all that is in it.</summary>
    public void SkipField(uint tag)
    {
        switch (tag & 7)
        {
            case VarintType:
                ReadUInt64();
                break;
            case Fixed64Type:
                ReadFixed64();
                break;
            case LengthType:
                int length = ReadLength(); // moves the position itself: not to be folded into the next line
                _position += length;
                break;
            case StartGroupType:
                SkipGroup(tag);
                break;
            case EndGroupType:
                ProtoThrow.Error(ProtoError.InvalidTag, _position, "A group ends that has not begun");
                break;
            case Fixed32Type:
                ReadFixed32();
                break;
            default:
                ProtoThrow.Error(ProtoError.InvalidWireType, _position, "A field has a wire type that does not exist");
                break;
        }
    }

    private void SkipGroup(uint startTag)
    {
        if (_depth >= ProtoWriter.MaxDepth)
            ProtoThrow.Error(ProtoError.TooDeep, _position, "Groups are nested more than 100 deep");

        _depth++;
        uint endTag = (startTag & ~7u) | EndGroupType;
        while (true)
        {
            if (!TryReadTag(out uint tag))
                ThrowTruncated();
            if (tag == endTag)
                break;
            SkipField(tag);
        }

        _depth--;
    }
}
