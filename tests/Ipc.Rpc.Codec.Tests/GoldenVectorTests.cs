using System;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Google.Protobuf;
using Ipc.Rpc.Codec.Tests.Contract;
using Ipc.Rpc.Codec.Tests.Reference;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>The same messages as files, for implementations in other languages: NAME.bin is an Everything, NAME.json what it means.</summary>
public sealed class GoldenVectorTests
{
    /// <summary>After a wanted change of the samples, run once with IPC_UPDATE_VECTORS=1. A change of the bytes of an old one is a break.</summary>
    [Fact]
    public void TheGoldenFilesAreWhatIsWrittenAndRead()
    {
        MessageCodec<Everything> codec = CodecContractRpc.Echo.Request;
        string folder = Path.Combine(Here(), "..", "vectors", "codec");
        bool update = Environment.GetEnvironmentVariable("IPC_UPDATE_VECTORS") == "1";
        foreach ((string name, Everything message) in Samples.All)
        {
            string bin = Path.Combine(folder, name + ".bin");
            string json = Path.Combine(folder, name + ".json");
            byte[] bytes = Encoded.Of(codec, message);
            string text = new JsonFormatter(JsonFormatter.Settings.Default.WithIndentation().WithFormatDefaultValues(false)).Format(ToGoogle.Convert(message)).ReplaceLineEndings("\n") + "\n";
            if (update)
            {
                Directory.CreateDirectory(folder);
                File.WriteAllBytes(bin, bytes);
                File.WriteAllText(json, text);
            }

            byte[] golden = File.ReadAllBytes(bin);
            Assert.Equal(Convert.ToHexString(golden), Convert.ToHexString(bytes));
            Assert.Equal(text, File.ReadAllText(json));
            Assert.Equal(JsonParser.Default.Parse<global::Codec.V1.Everything>(text), ToGoogle.Convert(codec.Decode(golden)));
        }

        Assert.Equal(Samples.All.Count() * 2, Directory.GetFiles(folder, "*.*").Count(static f => f.EndsWith(".bin", StringComparison.Ordinal) || f.EndsWith(".json", StringComparison.Ordinal)));
    }

    private static string Here([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
