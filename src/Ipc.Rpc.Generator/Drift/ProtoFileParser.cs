using System;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>Reads a .proto: what we generate, and what a person may have added to it. Options are skipped: the wire does not depend on them.</summary>
internal static class ProtoFileParser
{
    private static readonly char[] _space = { ' ' };

    /// <exception cref="FormatException">The text is no .proto; the message begins with the line.</exception>
    public static ProtoFile Parse(string text)
    {
        var tokens = new ProtoTokens(text);
        var file = new ProtoFile { Origin = tokens.Origin, Callback = tokens.Callback };
        while (!tokens.AtEnd)
        {
            switch (tokens.Next())
            {
                case ";":
                    break;
                case "package":
                    file.Package = tokens.Next();
                    tokens.Take(";");
                    break;
                case "syntax" or "edition" or "import" or "option":
                    SkipStatement(tokens);
                    break;
                case "message":
                    Message(tokens, file, "");
                    break;
                case "enum":
                    Enum(tokens, file, "");
                    break;
                case "service":
                    Service(tokens, file);
                    break;
                case "extend":
                    tokens.Next();
                    SkipBlock(tokens);
                    break;
                case var other:
                    throw new FormatException("line " + tokens.Line + ": '" + other + "' is not a declaration");
            }
        }

        return file;
    }

    private static void Message(ProtoTokens tokens, ProtoFile file, string outer)
    {
        string name = outer + tokens.Next();
        var block = new ProtoBlock();
        file.Messages[name] = block;
        tokens.Take("{");
        Fields(tokens, file, name, block);
    }

    /// <summary>Up to and with the closing brace. The fields of a oneof are fields of its message.</summary>
    private static void Fields(ProtoTokens tokens, ProtoFile file, string name, ProtoBlock block, bool hasPresence = false)
    {
        while (!tokens.TryTake("}"))
        {
            string word = tokens.Next();
            switch (word)
            {
                case ";":
                    break;
                case "message":
                    Message(tokens, file, name + ".");
                    break;
                case "enum":
                    Enum(tokens, file, name + ".");
                    break;
                case "option" or "extensions":
                    SkipStatement(tokens);
                    break;
                case "extend":
                    tokens.Next();
                    SkipBlock(tokens);
                    break;
                case "reserved":
                    Reserved(tokens, block);
                    break;
                case "oneof":
                    tokens.Next();
                    tokens.Take("{");
                    Fields(tokens, file, name, block, hasPresence: true);
                    break;
                case "map" when tokens.TryTake("<"):
                    string key = tokens.Next();
                    tokens.Take(",");
                    string value = tokens.Next();
                    tokens.Take(">");
                    Field(tokens, block, "map<" + key + ", " + value + ">");
                    break;
                case "repeated":
                    Field(tokens, block, "repeated " + tokens.Next());
                    break;
                case "optional":
                    Field(tokens, block, tokens.Next(), hasPresence: true);
                    break;
                default:
                    Field(tokens, block, word, hasPresence);
                    break;
            }
        }
    }

    private static void Field(ProtoTokens tokens, ProtoBlock block, string type, bool hasPresence = false)
    {
        string name = tokens.Next();
        tokens.Take("=");
        block.Entries.Add(new ProtoEntry(tokens.Number(), name, type, hasPresence));
        EndEntry(tokens);
    }

    /// <summary>The options of a field or value, and its semicolon.</summary>
    private static void EndEntry(ProtoTokens tokens)
    {
        if (tokens.Peek == "[")
            SkipStatement(tokens);
        else
            tokens.Take(";");
    }

    private static void Enum(ProtoTokens tokens, ProtoFile file, string outer)
    {
        var block = new ProtoBlock();
        file.Enums[outer + tokens.Next()] = block;
        tokens.Take("{");
        while (!tokens.TryTake("}"))
        {
            string word = tokens.Next();
            if (word == "option")
                SkipStatement(tokens);
            else if (word == "reserved")
                Reserved(tokens, block);
            else if (word != ";")
            {
                tokens.Take("=");
                block.Entries.Add(new ProtoEntry(tokens.Number(), word, ""));
                EndEntry(tokens);
            }
        }
    }

    private static void Reserved(ProtoTokens tokens, ProtoBlock block)
    {
        do
        {
            if (tokens.Peek.StartsWith("\"", StringComparison.Ordinal))
            {
                tokens.Next(); // a name: not on the wire
                continue;
            }

            int first = tokens.Number();
            int last = first;
            if (tokens.TryTake("to"))
                last = tokens.TryTake("max") ? int.MaxValue : tokens.Number();
            block.Reserved.Add((first, last));
        }
        while (tokens.TryTake(","));
        tokens.Take(";");
    }

    private static void Service(ProtoTokens tokens, ProtoFile file)
    {
        file.Services.Add(tokens.Next());
        tokens.Take("{");
        while (!tokens.TryTake("}"))
        {
            string word = tokens.Next();
            if (word == "option")
                SkipStatement(tokens);
            else if (word == "rpc")
                Rpc(tokens, file);
            else if (word != ";")
                throw new FormatException("line " + tokens.Line + ": 'rpc' expected, '" + word + "' found");
        }
    }

    private static void Rpc(ProtoTokens tokens, ProtoFile file)
    {
        var rpc = new ProtoRpc();
        file.Methods[tokens.Next()] = rpc;
        (string input, bool isInputStream) = Side(tokens, file.Package);
        tokens.Take("returns");
        (rpc.Output, rpc.IsOutputStream) = Side(tokens, file.Package);
        if (isInputStream)
            rpc.Input = input;
        else
            rpc.Request = input;

        string note = tokens.NoteOfLine();
        if (tokens.Peek == "{")
            SkipBlock(tokens);
        else
            tokens.Take(";");

        foreach (string[] words in note.Split(',').Select(static part => part.Split(_space, StringSplitOptions.RemoveEmptyEntries)))
        {
            if (words.Length == 2 && words[0] == "request")
                rpc.Request = words[1];
            else if (words.Length == 2 && words[0] == "progress")
                rpc.Progress = words[1];
            else if (words.Length == 1 && words[0] == "one-way")
                rpc.IsOneWay = true;
        }
    }

    private static (string Type, bool IsStream) Side(ProtoTokens tokens, string package)
    {
        tokens.Take("(");
        bool isStream = tokens.TryTake("stream");
        string type = tokens.Next();
        tokens.Take(")");
        if (type.StartsWith(".", StringComparison.Ordinal)) // with its package, or another's
            type = type.StartsWith("." + package + ".", StringComparison.Ordinal) ? type.Substring(package.Length + 2) : type.Substring(1);
        return (type, isStream);
    }

    /// <summary>Up to and with the semicolon; an option's value may be a block.</summary>
    private static void SkipStatement(ProtoTokens tokens)
    {
        while (!tokens.TryTake(";"))
        {
            if (tokens.Peek == "{")
                SkipBlock(tokens);
            else
                tokens.Next();
        }
    }

    private static void SkipBlock(ProtoTokens tokens)
    {
        tokens.Take("{");
        for (int depth = 1; depth > 0;)
        {
            string token = tokens.Next();
            depth += token == "{" ? 1 : token == "}" ? -1 : 0;
        }
    }
}
