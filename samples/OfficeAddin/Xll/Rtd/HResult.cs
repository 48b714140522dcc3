namespace OfficeAddin.Xll;

/// <summary>What methods of COM return.</summary>
internal static class HResult
{
    public const int Ok = 0;
    public const int False = 1;
    public const int NotImplemented = unchecked((int)0x80004001);
    public const int NoInterface = unchecked((int)0x80004002);
    public const int Pointer = unchecked((int)0x80004003);
    public const int Fail = unchecked((int)0x80004005);
    public const int MemberNotFound = unchecked((int)0x80020003);
    public const int NoAggregation = unchecked((int)0x80040110);
    public const int ClassNotAvailable = unchecked((int)0x80040111);
    public const int InvalidArgument = unchecked((int)0x80070057);
}
