using System;
using System.Linq;
using System.Reflection;
using Xunit;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>What the folders promise: symbols stop at the parser.</summary>
public sealed class ArchitectureTests
{
    [Fact]
    public void TheModelHoldsNothingOfRoslyn()
    {
        Type[] models = typeof(ContractModel).Assembly.GetTypes().Where(static t => t.Name.EndsWith("Model", StringComparison.Ordinal)).ToArray();
        Assert.InRange(models.Length, 8, 100);
        foreach (Type model in models)
        {
            Assert.True(typeof(IEquatable<>).MakeGenericType(model).IsAssignableFrom(model), model + " is not comparable");
            foreach (FieldInfo field in model.GetFields(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public))
                Assert.True(IsPlain(field.FieldType), model.Name + "." + field.Name + " is a " + field.FieldType);
        }
    }

    private static bool IsPlain(Type type)
        => type == typeof(string) || type == typeof(int) || type == typeof(bool) || type.IsEnum
            || (type.Namespace == typeof(ContractModel).Namespace && (!type.IsGenericType || type.GetGenericArguments().All(IsPlain)));
}
