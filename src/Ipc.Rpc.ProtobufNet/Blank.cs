using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;

namespace Ipc.Rpc;

/// <summary>Makes a message without a parameterless constructor, such as a positional record, ready for its fields to be set.</summary>
/// <remarks>Its own constructor runs, with what absent fields read as: no text, an empty array or list, zero.</remarks>
#if NET
[RequiresDynamicCode(ProtobufNetIpcSerializer.AtRunTime)]
[RequiresUnreferencedCode(ProtobufNetIpcSerializer.AtRunTime)]
#endif
internal static class Blank<T>
{
    private static readonly Func<T> _create = Compile();

    public static T Create() => _create();

    private static Func<T> Compile()
    {
        ConstructorInfo constructor = typeof(T)
            .GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .Where(static c => c.GetParameters() is not { Length: 1 } only || only[0].ParameterType != typeof(T)) // a record's own copy
            .OrderByDescending(static c => c.GetParameters().Length)
            .First();
        IEnumerable<Expression> arguments = constructor.GetParameters().Select(static p => Default(p.ParameterType));
        return Expression.Lambda<Func<T>>(Expression.New(constructor, arguments)).Compile();
    }

    private static Expression Default(Type type)
    {
        if (type == typeof(string))
            return Expression.Constant("");
        if (type.IsArray)
            return Expression.Constant(Array.CreateInstance(type.GetElementType()!, 0), type);
        bool isCollection = type.IsGenericType && !type.IsValueType && type.GetConstructor(Type.EmptyTypes) is not null;
        return isCollection ? Expression.New(type) : Expression.Default(type);
    }
}
