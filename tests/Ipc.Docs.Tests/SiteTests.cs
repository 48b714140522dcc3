using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>The documentation site is whole: what a reader looks for is there, found by its search and its contents, and needs no network. That its links lead somewhere is
/// docfx's and doxygen's to say: their warnings fail the build.</summary>
public partial class SiteTests(Site site)
{
    [Fact]
    public async Task EveryDocumentHasAPageAndAPlaceInTheContents()
    {
        await site.BuiltAsync();
        string[] pages = [.. Repository.Documents().Where(static file => file.StartsWith("docs/", StringComparison.Ordinal) && !file.StartsWith("docs/site/", StringComparison.Ordinal))
            .Select(static file => Path.ChangeExtension(file, ".html"))];
        Assert.True(pages.Length > 100, $"only {pages.Length} documents");
        Assert.DoesNotContain(pages, static page => !File.Exists(Site.PathOf(page)));
        HashSet<string> listed = [.. Contents("docs/toc.json")];
        Assert.DoesNotContain(pages, page => page != "docs/adr/0000-template.html" && !listed.Contains(page));
    }

    [Fact]
    public async Task TheFirstPageLeadsToEveryQuickStart()
    {
        await site.BuiltAsync();
        string first = Site.Read("index.html");
        Assert.All(
            ["docs/quickstart/csharp.html", "docs/quickstart/cpp.html", "docs/c-api.html", "docs/quickstart/excel.html", "csharp/Ipc.html", "cpp/index.html"],
            page => Assert.Contains($"href=\"{page}\"", first, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Ipc.SharedQueue", "TryReceive")]
    [InlineData("Ipc.Rpc.RpcClient", "ConnectAsync")]
    [InlineData("Ipc.Rpc.RpcServer", "Start")]
    [InlineData("Ipc.Rpc.MessagePackIpcSerializer", "Serializer")]
    [InlineData("Ipc.Rpc.ProtobufNetIpcSerializer", "Serializer")]
    [InlineData("Ipc.Hosting.QueueDelivery", "Redelivered")]
    [InlineData("Ipc.Pipelines.IpcPipe", "ConnectAsync")]
    [InlineData("Ipc.AspNetCore.IpcKestrelExtensions", "UseIpc")]
    [InlineData("Ipc.Native.NativeRecord", "Payload")]
    public async Task ATypeOfCSharpHasAPageAndAPlaceInTheContents(string type, string member)
    {
        await site.BuiltAsync();
        Assert.Contains(member, Site.Read($"csharp/{type}.html"), StringComparison.Ordinal);
        Assert.Contains($"csharp/{type}.html", Contents("csharp/toc.json"));
    }

    [Theory]
    [InlineData("classipc_1_1queue.html", "What MESSAGE held before is released.")]
    [InlineData("classipc_1_1rpc_1_1client.html", "A connection to the server NAME.")]
    [InlineData("structipc_1_1rpc_1_1server__options.html", "blocked handlers of one client")] // a comment behind what it is about, a line further on
    [InlineData("queue_8h.html", "the new object: the caller's, to be closed")] // of an argument
    [InlineData("structipc__queue__options.html", "the messages that a dead receiver held are dropped")]
    public async Task CAndCppHaveTheirComments(string page, string words)
    {
        await site.BuiltAsync();
        Assert.Contains(words, Site.Read("cpp/" + page), StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheSearchKnowsDocumentsAndTypes()
    {
        await site.BuiltAsync();
        using JsonDocument index = JsonDocument.Parse(Site.Read("index.json"));
        string Words(string page) => index.RootElement.GetProperty(page).GetProperty("summary").GetString()!;
        Assert.Contains("Redelivered", Words("docs/guide/queues.html"), StringComparison.Ordinal);
        Assert.Contains("Any number of threads may use one client at once", Words("csharp/Ipc.Rpc.RpcClient.html"), StringComparison.Ordinal);
        Assert.Contains("id=\"search-query\"", Site.Read("docs/guide/queues.html"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task NothingIsFetchedFromTheNetwork()
    {
        await site.BuiltAsync();
        List<string> fetched = [];
        foreach (string file in Directory.EnumerateFiles(Site.PathOf(""), "*", SearchOption.AllDirectories).Where(static file => Path.GetExtension(file) is ".html" or ".css" or ".svg"))
            fetched.AddRange(Fetched().Matches(File.ReadAllText(file)).Select(match => $"{file}: {match.Value}"));
        Assert.Empty(fetched);
    }

    [Theory]
    [InlineData("<script type=\"module\" src=\"https://there/x.js\">", true)]
    [InlineData("<link rel=\"stylesheet\" href='//there/x.css'>", true)]
    [InlineData("@import \"https://there/x.css\";", true)]
    [InlineData("src: url(https://there/x.woff2)", true)]
    [InlineData("<a href=\"https://there\">", false)]
    [InlineData("<script src=\"public/x.js\">", false)]
    public void WhatIsFetchedIsTold(string text, bool isFetched) => Assert.Equal(isFetched, Fetched().IsMatch(text));

    /// <summary>The pages that a table of contents leads to, from the top of the site.</summary>
    private static IEnumerable<string> Contents(string file)
    {
        using JsonDocument contents = JsonDocument.Parse(Site.Read(file));
        return [.. Of(contents.RootElement).Select(href => Path.GetRelativePath(Site.PathOf(""), Path.GetFullPath(href, Path.GetDirectoryName(Site.PathOf(file))!)))];

        static IEnumerable<string> Of(JsonElement item)
            => (item.TryGetProperty("href", out JsonElement href) ? [href.GetString()!] : Enumerable.Empty<string>())
                .Concat(item.TryGetProperty("items", out JsonElement items) ? items.EnumerateArray().SelectMany(Of) : []);
    }

    /// <summary>What a browser gets without being asked to.</summary>
    [GeneratedRegex("""<(script|link|img|iframe|source|object|image|use)\b[^>]*?\b(src|href|data|srcset)\s*=\s*["']?(https?:)?//|(@import\s*["']?|url\(\s*["']?)(https?:)?//""", RegexOptions.IgnoreCase)]
    private static partial Regex Fetched();
}
