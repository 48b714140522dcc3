using System;
using System.Collections.Generic;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>ls, top and show in windows of 80, 60 and 40 columns: a table once became a single "…" there.</summary>
public sealed class NarrowTests(Peers peers)
{
    [Theory]
    [InlineData(200)]
    [InlineData(80)]
    [InlineData(60)]
    [InlineData(40)]
    [InlineData(20)]
    public void AListHasNamesStatesAndDepthsInAnyWindow(int width)
    {
        using var crowd = new Crowded(peers);
        foreach (string[] verb in new[] { new[] { "ls", "--interval", "0.01" }, ["top", "-n", "1", "-d", "0.01"], ["top", "-n", "1", "-d", "0.01", "--sort", "name"] })
        {
            ToolRun run = ToolRun.InWindow(width, peers.Directory, verb);
            AssertFits(run, width);
            foreach (string name in crowd.Names)
                Assert.Contains(run.Lines, line => line.StartsWith(name[..Math.Min(12, name.Length)], StringComparison.Ordinal));
            string text = string.Join(' ', run.Lines.Select(static line => line.Trim()));
            Assert.Contains("live", text, StringComparison.Ordinal);
            Assert.Contains("3 (384 B of 4 KiB)", text, StringComparison.Ordinal);
            Assert.Contains("2 of 16", text, StringComparison.Ordinal);
            Assert.Contains("5 behind of 16", text, StringComparison.Ordinal);
        }
    }

    /// <summary>What is left out of a table is there again in the blocks of the narrowest windows: they cost lines, and hide nothing.</summary>
    [Fact]
    public void ColumnsGoByTheirRank()
    {
        using var crowd = new Crowded(peers);
        string At(int width) => ToolRun.InWindow(width, peers.Directory, "ls", "--interval", "0").Out.Split('\n')[0];
        Assert.Equal("NAME KIND STATE LIFETIME MEMORY SIZE ALIVE DEAD DEPTH IN OUT", Single(At(200)));
        string[] at80 = Single(At(80)).Split(' ');
        Assert.Equal(["NAME", "KIND", "STATE", "DEPTH"], at80.Where(static title => title is "NAME" or "KIND" or "STATE" or "DEPTH"));
        Assert.DoesNotContain("LIFETIME", at80);
        Assert.StartsWith("NAME STATE DEPTH", Single(At(60)).Replace("KIND ", "", StringComparison.Ordinal), StringComparison.Ordinal);
        Assert.StartsWith("NAME STATE DEPTH", Single(At(40)), StringComparison.Ordinal);
        Assert.DoesNotContain("NAME", At(30), StringComparison.Ordinal);
        Assert.Contains("memory", ToolRun.InWindow(30, peers.Directory, "ls", "--interval", "0").Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(80)]
    [InlineData(60)]
    [InlineData(40)]
    [InlineData(20)]
    public void APageSaysTheSameInAnyWindow(int width)
    {
        using var crowd = new Crowded(peers);
        foreach (string name in crowd.Names)
        {
            ToolRun run = ToolRun.InWindow(width, peers.Directory, "show", name), wide = ToolRun.In(peers.Directory, "show", name);
            Assert.Equal(ExitCode.Ok, run.ExitCode);
            AssertFits(run, width);
            foreach (string label in new[] { "name", "state", "memory", "participants: ", "waiter" }.Where(label => wide.Out.Contains(label, StringComparison.Ordinal)))
                Assert.Contains(label.Trim(), run.Out, StringComparison.Ordinal);
            Assert.Contains(name, string.Concat(run.Out.Split('\n').Select(static line => line.Trim())), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void WhatGoesIntoAFileIsNotFolded()
    {
        using var directory = new RegionDirectory();
        string name = new('n', 200);
        directory.Place(name, "not a region"u8);
        Assert.Contains(name, ToolRun.In(directory, "ls", "--interval", "0").Out, StringComparison.Ordinal);
        Assert.Contains(name, ToolRun.In(directory, "show", name).Out, StringComparison.Ordinal);
        ToolRun narrow = ToolRun.InWindow(60, directory, "ls", "--interval", "0");
        AssertFits(narrow, 60);
        Assert.Contains(new string('n', 20), narrow.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void WideCharactersTakeTwoColumns()
    {
        using var directory = new RegionDirectory();
        directory.Place(string.Concat(Enumerable.Repeat("名", 60)), "not a region"u8);
        foreach (int width in new[] { 80, 60, 40 })
            AssertFits(ToolRun.InWindow(width, directory, "ls", "--interval", "0"), width);
    }

    private static string Single(string line) => string.Join(' ', line.Split(' ', StringSplitOptions.RemoveEmptyEntries));

    private static void AssertFits(ToolRun run, int width)
    {
        Assert.DoesNotContain('…', run.Out);
        Assert.All(run.Out.Split('\n'), line => Assert.True(Folding.WidthOf(line.TrimEnd()) <= width, $"{Folding.WidthOf(line)} columns: {line}\n{run.Out}"));
    }

    /// <summary>A region of each kind that people look for, live, one with a long name.</summary>
    private sealed class Crowded : IDisposable
    {
        private readonly List<Opened> _opened = [];

        public Crowded(Peers peers)
        {
            Driven one = peers.At(Language.C, "one"), two = peers.At(Language.CSharp, "two");
            var ring = new Opened(peers, one, "writer", "capacity=4096");
            var queue = new Opened(peers, two, "queue", "block=64 count=16");
            var topic = new Opened(peers, one, "publisher", "block=64 count=16", peers.NewName("a-topic-with-a-name-that-nobody-would-type-twice"));
            _opened.AddRange([ring, queue, topic, new Opened(peers, two, "subscriber", "block=64 count=16 policy=lossy", topic.Name), new Opened(peers, two, "mutex")]);
            for (int i = 0; i < 3; i++)
                ring.Must("write", $"{i} 100 7");
            for (int i = 0; i < 2; i++)
                queue.Must("write", $"{i} 20 {i}");
            for (int i = 0; i < 5; i++)
                topic.Must("write", $"{i} 20 {i} 0");
            Names = [.. _opened.Select(static one => one.Name).Distinct()];
        }

        public string[] Names { get; }

        public void Dispose()
        {
            foreach (Opened opened in _opened)
            {
                if (opened == _opened[1])
                    Drain(opened); // what nobody has received would keep the queue
                opened.Dispose();
            }
        }

        private static void Drain(Opened queue)
        {
            for (int i = 0; i < 2; i++)
            {
                queue.Must("read", "timeout=60000");
                queue.Must("release");
            }
        }
    }
}
