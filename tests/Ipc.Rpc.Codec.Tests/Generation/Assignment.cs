using System;
using System.Collections.Generic;
using System.Linq;
using FsCheck;
using FsCheck.Fluent;

namespace Ipc.Rpc.Codec.Tests.Generation;

/// <summary>One property set to one value: a message is a list of these, so that it shrinks to the few that matter.</summary>
internal sealed record Assignment<T>(string Property, object? Value, Action<T> Apply)
{
    public override string ToString() => Property + " = " + (Value is System.Collections.IEnumerable items and not string ? "[" + string.Join(", ", items.Cast<object?>()) + "]" : Value);
}

/// <summary>Builds messages from random assignments.</summary>
internal static class Assignments
{
    public static Gen<Assignment<T>> Set<T, TValue>(string property, Gen<TValue> values, Action<T, TValue> set)
        => values.Select(v => new Assignment<T>(property, v, target => set(target, v)));

    /// <summary>Messages in which any part of the properties is set.</summary>
    public static Gen<T> Message<T>(params Gen<Assignment<T>>[] properties)
        where T : new()
        => List(properties).Select(Build);

    public static Arbitrary<Assignment<T>[]> Arbitrary<T>(params Gen<Assignment<T>>[] properties)
        => Arb.From(List(properties), Shrink);

    public static T Build<T>(IEnumerable<Assignment<T>> assignments)
        where T : new()
    {
        var target = new T();
        foreach (Assignment<T> assignment in assignments)
            assignment.Apply(target);
        return target;
    }

    private static Gen<Assignment<T>[]> List<T>(Gen<Assignment<T>>[] properties)
        => from count in Gen.Choose(0, properties.Length * 2)
           from items in Gen.OneOf(properties).ArrayOf(count)
           select items;

    private static IEnumerable<Assignment<T>[]> Shrink<T>(Assignment<T>[] items)
        => Enumerable.Range(0, items.Length).Select(i => items.Where((_, j) => j != i).ToArray());
}
