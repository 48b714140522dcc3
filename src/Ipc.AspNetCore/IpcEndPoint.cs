using System;
using System.Net;
using Ipc.Pipelines;

namespace Ipc.AspNetCore;

/// <summary>A name in shared memory to listen at: <c>ipc:name</c>.</summary>
public sealed class IpcEndPoint : EndPoint, IEquatable<IpcEndPoint>
{
    /// <summary>An end point of that name.</summary>
    /// <param name="name">As of every region: 1 to 120 of <c>A-Z a-z 0-9 . _ -</c>.</param>
    /// <param name="options">How its listener is opened. Default: reads are copies.</param>
    public IpcEndPoint(string name, IpcPipeListenerOptions? options = null) : this(name, options, HttpVersions.Any)
    {
    }

    internal IpcEndPoint(string name, IpcPipeListenerOptions? options, HttpVersions versions)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Name = name;
        Options = options ?? new IpcPipeListenerOptions { CopyReads = true };
        Versions = versions;
    }

    /// <summary>The listener's name.</summary>
    public string Name { get; }

    internal IpcPipeListenerOptions Options { get; }

    /// <summary>Which connections of that name it is for.</summary>
    internal HttpVersions Versions { get; }

    /// <inheritdoc/>
    public bool Equals(IpcEndPoint? other) => other is not null && other.Name == Name && other.Versions == Versions;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as IpcEndPoint);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Name, Versions);

    /// <summary><c>ipc:name</c>.</summary>
    public override string ToString() => "ipc:" + Name;
}
