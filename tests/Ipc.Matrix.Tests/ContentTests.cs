using System;
using System.IO;
using System.Linq;
using Ipc.Matrix.Cells;
using Xunit;

namespace Ipc.Matrix.Tests;

/// <summary>What is sent is what was meant, in every serializer, and what is not is noticed.</summary>
public sealed class ContentTests
{
    public static TheoryData<string> Serializers { get; } = [.. Catalogue.Serializers];

    [Theory]
    [MemberData(nameof(Serializers))]
    public void EveryShapeGoesThereAndBack(string serializer)
    {
        foreach (Shape shape in Shape.All.Where(static shape => shape.Response <= 10_000))
        {
            Codec writes = Codec.Create(serializer, shape), reads = Codec.Create(serializer, shape);
            for (long number = 0; number < 100; number += 33)
            {
                reads.CheckRequest(writes.Request(number), number);
                Assert.Equal(7, reads.CheckResponse(writes.Response(number, 7), number));
            }
        }
    }

    [Theory]
    [MemberData(nameof(Serializers))]
    public void AnotherMessageIsNoticed(string serializer)
    {
        Shape shape = Shape.Of("0.1K-1K");
        Codec codec = Codec.Create(serializer, shape);
        byte[] request = codec.Request(1).ToArray(), response = codec.Response(1, 0).ToArray();
        Assert.Throws<InvalidDataException>(() => codec.CheckRequest(request, 2));
        Assert.Throws<InvalidDataException>(() => codec.CheckResponse(response, 2));
        int late = response.Length - 3; // within the last value
        response[late] ^= 1;
        Assert.ThrowsAny<Exception>(() => codec.CheckResponse(response, 1));
    }

    /// <summary>The sizes are protobuf's: they hold within a tenth.</summary>
    [Fact]
    public void AShapeIsAsLargeAsItSays()
    {
        foreach (Shape shape in Shape.All)
        {
            Codec codec = Codec.Create("generated", shape);
            Assert.InRange(codec.Request(0).Length, 0.85 * shape.Request, 1.15 * shape.Request);
            Assert.InRange(codec.Response(0, 0).Length, 0.85 * shape.Response, 1.15 * shape.Response);
        }
    }
}
