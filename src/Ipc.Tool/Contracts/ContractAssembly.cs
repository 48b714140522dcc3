using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Ipc.Tool;

/// <summary>The .proto texts that the generator put into an assembly: constants, so nothing of it has to be loaded or run.</summary>
internal static class ContractAssembly
{
    private const string ServiceName = "ServiceName", Proto = "Proto";

    // What the generator's texts begin with. Other assemblies have constants of these names, too; this one, for instance.
    private const string Head = "// Generated from the C# contract ";

    /// <summary>Service and text, in the order of the assembly.</summary>
    public static List<(string Service, string Text)> Read(string path)
    {
        try
        {
            using FileStream stream = File.OpenRead(path);
            using var image = new PEReader(stream);
            if (!image.HasMetadata)
                throw new ToolException(ExitCode.Unusable, $"{path} is no .NET assembly.");
            MetadataReader reader = image.GetMetadataReader();
            List<(string, string)> found = [];
            foreach (TypeDefinitionHandle handle in reader.TypeDefinitions)
            {
                TypeDefinition type = reader.GetTypeDefinition(handle);
                if (Constant(reader, type, ServiceName) is { } service && Constant(reader, type, Proto) is { } text && text.StartsWith(Head, StringComparison.Ordinal))
                    found.Add((service, text));
            }

            return found;
        }
        catch (BadImageFormatException error)
        {
            throw new ToolException(ExitCode.Unusable, $"{path} is no .NET assembly: {error.Message}");
        }
    }

    private static string? Constant(MetadataReader reader, TypeDefinition type, string name)
    {
        foreach (FieldDefinitionHandle handle in type.GetFields())
        {
            FieldDefinition field = reader.GetFieldDefinition(handle);
            if (!reader.StringComparer.Equals(field.Name, name) || field.GetDefaultValue().IsNil)
                continue;
            Constant constant = reader.GetConstant(field.GetDefaultValue());
            if (constant.TypeCode == ConstantTypeCode.String)
                return reader.GetBlobReader(constant.Value).ReadConstant(ConstantTypeCode.String) as string;
        }

        return null;
    }
}
