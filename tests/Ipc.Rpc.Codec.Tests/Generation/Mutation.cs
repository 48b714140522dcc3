using System;
using System.Linq;

namespace Ipc.Rpc.Codec.Tests.Generation;

/// <summary>Payloads that are nearly messages: one to three bits, bytes, cuts or joins away from one.</summary>
internal static class Mutation
{
    public static byte[] Of(byte[] seed, byte[][] seeds, Random random)
    {
        byte[] bytes = (byte[])seed.Clone();
        for (int i = random.Next(1, 4); i > 0 && bytes.Length > 0; i--)
        {
            int at = random.Next(bytes.Length);
            switch (random.Next(6))
            {
                case 0:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 1:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 2:
                    bytes = bytes.AsSpan(0, at).ToArray();
                    break;
                case 3:
                    bytes = bytes.Take(at).Append((byte)random.Next(256)).Concat(bytes.Skip(at)).ToArray();
                    break;
                case 4:
                    bytes = bytes.Concat(seeds[random.Next(seeds.Length)]).ToArray();
                    break;
                default:
                    bytes = bytes.Take(at).Concat(bytes.Skip(at + 1)).ToArray();
                    break;
            }
        }

        return bytes;
    }
}
