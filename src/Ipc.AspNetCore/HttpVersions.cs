namespace Ipc.AspNetCore;

/// <summary>Which connections an end point is for. Without TLS the server does not tell versions of HTTP apart on one
/// end point, so a name that speaks both has two, and the transport looks at how a client begins.</summary>
internal enum HttpVersions
{
    Any,
    One,
    Two,
}
