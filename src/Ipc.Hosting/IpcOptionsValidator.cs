using System.Collections.Generic;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>Refuses at the start of the host what would be refused later, all of it at once.</summary>
internal abstract class IpcOptionsValidator<TOptions> : IValidateOptions<TOptions>
    where TOptions : class
{
    public ValidateOptionsResult Validate(string? name, TOptions options)
    {
        var wrong = new List<string>();
        Check(options, wrong);
        return wrong.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(wrong);
    }

    /// <summary>Adds what is wrong.</summary>
    private protected abstract void Check(TOptions options, List<string> wrong);
}
