using System;
using System.IO;
using Ipc.Rpc.Generator;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>Messages between JSON and the wire: the bytes are typed here again, by protobuf's rules.</summary>
public sealed class JsonTests
{
    private const string Proto = """
        syntax = "proto3";
        package p.v1;
        message Kinds {
          double a_double = 1; float a_float = 2; int32 an_int32 = 3; int64 an_int64 = 4; uint32 a_uint32 = 5; uint64 a_uint64 = 6;
          sint32 a_sint32 = 7; sint64 a_sint64 = 8; fixed32 a_fixed32 = 9; fixed64 a_fixed64 = 10; sfixed32 a_sfixed32 = 11; sfixed64 a_sfixed64 = 12;
          bool a_bool = 13; string a_string = 14; bytes some_bytes = 15; Color color = 16; Kinds nested = 17;
          repeated int32 numbers = 18; repeated string words = 19; map<string, int32> counts = 20; map<int32, Kinds.Part> parts = 21;
          google.protobuf.Timestamp at = 22; google.protobuf.Duration lasts = 23; optional int32 maybe = 24;
          oneof choice { string one = 25; int32 other = 26; }
          message Part { string name = 1; }
          enum Inner { NONE = 0; }
        }
        enum Color { COLOR_NONE = 0; COLOR_RED = 1; COLOR_BELOW = -1; }
        """;

    private static readonly MessageType s_kinds = new Contract([ProtoFileParser.Parse(Proto)]).FindMessage("Kinds");

    [Theory]
    [InlineData("""{"aDouble": 1.5}""", "09000000000000F83F")]
    [InlineData("""{"a_double": "NaN"}""", "09000000000000F8FF")]
    [InlineData("""{"aFloat": -2}""", "15000000C0")]
    [InlineData("""{"anInt32": -1}""", "18FFFFFFFFFFFFFFFFFF01")]
    [InlineData("""{"anInt64": "9223372036854775807"}""", "20FFFFFFFFFFFFFFFF7F")]
    [InlineData("""{"aUint32": 4294967295}""", "28FFFFFFFF0F")]
    [InlineData("""{"aUint64": "18446744073709551615"}""", "30FFFFFFFFFFFFFFFFFF01")]
    [InlineData("""{"aSint32": -2147483648}""", "38FFFFFFFF0F")]
    [InlineData("""{"aSint64": "-1"}""", "4001")]
    [InlineData("""{"aFixed32": 1}""", "4D01000000")]
    [InlineData("""{"aFixed64": "1"}""", "510100000000000000")]
    [InlineData("""{"aSfixed32": -1}""", "5DFFFFFFFF")]
    [InlineData("""{"aSfixed64": "-2"}""", "61FEFFFFFFFFFFFFFF")]
    [InlineData("""{"aBool": true}""", "6801")]
    [InlineData("""{"aString": "häh"}""", "720468C3A468")]
    [InlineData("""{"someBytes": "AQI="}""", "7A020102")]
    [InlineData("""{"color": "COLOR_RED"}""", "800101")]
    [InlineData("""{"color": "COLOR_BELOW"}""", "8001FFFFFFFFFFFFFFFFFF01")]
    [InlineData("""{"color": 7}""", "800107")]
    [InlineData("""{"nested": {"aBool": true}}""", "8A01026801")]
    [InlineData("""{"numbers": [1, 2, 300]}""", "9201040102AC02")]
    [InlineData("""{"words": ["a", ""]}""", "9A0101619A0100")]
    [InlineData("""{"counts": {"x": 5}}""", "A201050A01781005")]
    [InlineData("""{"parts": {"-1": {"name": "n"}}}""", "AA011008FFFFFFFFFFFFFFFFFF0112030A016E")]
    [InlineData("""{"at": "1970-01-01T00:00:01.5Z"}""", "B2010808011080CAB5EE01")]
    [InlineData("""{"lasts": "-1.000000001s"}""", "BA011608FFFFFFFFFFFFFFFFFF0110FFFFFFFFFFFFFFFFFF01")]
    [InlineData("""{"maybe": 0}""", "C00100")]
    [InlineData("""{"one": ""}""", "CA0100")]
    [InlineData("""{}""", "")]
    [InlineData("""{"aString": null, "words": []}""", "")]
    public void AMessageIsWrittenAndReadByItsFields(string json, string bytes)
    {
        byte[] written = JsonToProto.Encode(s_kinds, json);
        Assert.Equal(bytes, Convert.ToHexString(written));
        byte[] again = JsonToProto.Encode(s_kinds, WithoutDefaults(ProtoToJson.Decode(s_kinds, written)!.ToJsonString()));
        Assert.Equal(bytes, Convert.ToHexString(again));
    }

    [Theory]
    [InlineData("""{"nothing": 1}""", "p.v1.Kinds has no field \"nothing\"; it has aDouble, aFloat")]
    [InlineData("""{"anInt32": 2147483648}""", "p.v1.Kinds.anInt32 is 2147483648; a whole number from -2147483648 to 2147483647 was expected.")]
    [InlineData("""{"anInt32": 1.5}""", "a whole number")]
    [InlineData("""{"aUint64": -1}""", "a whole number from 0 to 18446744073709551615")]
    [InlineData("""{"aBool": 1}""", "true or false was expected")]
    [InlineData("""{"aString": 1}""", "a text was expected")]
    [InlineData("""{"someBytes": "?"}""", "bytes as base64")]
    [InlineData("""{"color": "GREEN"}""", "one of COLOR_NONE, COLOR_RED, COLOR_BELOW was expected")]
    [InlineData("""{"numbers": 1}""", "an array was expected")]
    [InlineData("""{"numbers": [1, "x"]}""", "p.v1.Kinds.numbers[1] is \"x\"")]
    [InlineData("""{"counts": []}""", "an object was expected")]
    [InlineData("""{"at": "yesterday"}""", "a time such as")]
    [InlineData("""{"lasts": "1"}""", "a duration such as")]
    [InlineData("""[]""", "an object was expected")]
    [InlineData("""{"aBool": """, "the message is no JSON")]
    public void WhatIsNoSuchMessageIsExplained(string json, string text)
    {
        ToolException error = Assert.Throws<ToolException>(() => JsonToProto.Encode(s_kinds, json));
        Assert.Equal(ExitCode.Usage, error.ExitCode);
        Assert.Contains(text, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AnyBytesAreReadOrRefused()
    {
        var random = new Random(7);
        byte[] bytes = new byte[64];
        int refused = 0;
        for (int round = 0; round < 20_000; round++)
        {
            int length = random.Next(bytes.Length);
            random.NextBytes(bytes.AsSpan(0, length));
            refused += ProtoToJson.Decode(s_kinds, bytes.AsSpan(0, length)) is null ? 1 : 0;
        }

        Assert.InRange(refused, 1, 19_999);
        Assert.Equal("""{"#2000":"5"}""", ProtoToJson.Decode(new MessageType("empty"), Convert.FromHexString("807D05"))!.ToJsonString());
    }

    [Fact]
    public void DefaultsAreThereAndWhatIsOptionalIsNot()
    {
        string json = ProtoToJson.Decode(s_kinds, [])!.ToJsonString();
        Assert.StartsWith("""{"aDouble":0,"aFloat":0,"anInt32":0,"anInt64":"0",""", json, StringComparison.Ordinal);
        Assert.Contains("\"color\":\"COLOR_NONE\",\"numbers\":[],\"words\":[],\"counts\":{},\"parts\":{}}", json, StringComparison.Ordinal);
    }

    /// <summary>What is not default comes back: the others are taken away, as text, so that the test knows nothing of the tool's own reader.</summary>
    private static string WithoutDefaults(string json)
    {
        var all = System.Text.Json.Nodes.JsonNode.Parse(json)!.AsObject();
        var defaults = ProtoToJson.Decode(s_kinds, [])!.AsObject();
        foreach ((string name, System.Text.Json.Nodes.JsonNode? value) in defaults)
        {
            if (all[name]?.ToJsonString() == value?.ToJsonString())
                all.Remove(name);
        }

        if (all["nested"] is System.Text.Json.Nodes.JsonObject nested)
            all["nested"] = System.Text.Json.Nodes.JsonNode.Parse(WithoutDefaults(nested.ToJsonString()));
        return all.ToJsonString();
    }
}
