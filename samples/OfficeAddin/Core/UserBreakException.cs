using System;

namespace OfficeAddin;

/// <summary>The user did not want to wait.</summary>
internal sealed class UserBreakException : Exception
{
    public UserBreakException()
        : base("the user has pressed Escape")
    {
    }
}
