using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace OfficeAddin.Xll;

/// <summary>Values and arrays of automation, made and read by the system's own functions (oleaut32).</summary>
internal static unsafe partial class Automation
{
    /// <summary>An error of a cell, as Office passes it: CVErr of 2000 and the code.</summary>
    private const int FirstError = unchecked((int)0x800A07D0);

    private const int LongestText = Excel12Operands.LongestText;

    /// <summary>The texts of an array of texts, or of values that are texts; <see langword="null"/> when it is something else.</summary>
    public static List<string>? ReadTexts(void* array)
    {
        if (array == null || SafeArrayGetDim(array) != 1 || SafeArrayGetVartype(array, out ushort type) != HResult.Ok
            || SafeArrayGetLBound(array, 1, out int first) != HResult.Ok || SafeArrayGetUBound(array, 1, out int last) != HResult.Ok
            || type is not (Variant.Any or Variant.Text))
            return null;
        List<string> texts = [];
        for (int i = first; i <= last; i++)
        {
            Variant value = default;
            int read = type == Variant.Any ? SafeArrayGetElement(array, &i, &value) : SafeArrayGetElement(array, &i, &value.Value.Text);
            if (type == Variant.Text)
                value.Type = Variant.Text;
            string? text = read == HResult.Ok && value.Type == Variant.Text ? Marshal.PtrToStringBSTR(value.Value.Text) : null;
            _ = VariantClear(&value);
            if (text is null)
                return null;
            texts.Add(text);
        }

        return texts;
    }

    /// <summary>A value for whoever has asked, who clears it.</summary>
    public static Variant Of(in CellValue value)
    {
        Variant made = default;
        switch (value.Kind)
        {
            case CellKind.Number or CellKind.Date when Operands.NumberOf(value) is { } number && double.IsFinite(number):
                made.Type = Variant.Double;
                made.Value.Double = number;
                break;
            case CellKind.Boolean:
                made.Type = Variant.Truth;
                made.Value.Truth = (short)(value.Boolean ? -1 : 0);
                break;
            case CellKind.Text or CellKind.Empty:
                made.Type = Variant.Text;
                made.Value.Text = Marshal.StringToBSTR(Cut(value.Text));
                break;
            default:
                made.Type = Variant.Error;
                made.Value.Integer = FirstError + (int)(value.Kind == CellKind.Error ? value.Error : CellError.Num);
                break;
        }

        return made;
    }

    /// <summary>Two rows, topics above values; <see langword="null"/> when there is no memory for it.</summary>
    public static void* TableOf(List<(int Topic, CellValue Value)> changes)
    {
        Bound* bounds = stackalloc Bound[] { new() { Count = 2, First = 0 }, new() { Count = (uint)changes.Count, First = 0 } };
        void* array = SafeArrayCreate(Variant.Any, 2, bounds);
        if (array == null)
            return null;
        int* place = stackalloc int[2];
        for (int i = 0; i < changes.Count; i++)
        {
            Variant topic = new() { Type = Variant.Integer };
            topic.Value.Integer = changes[i].Topic;
            Variant value = Of(changes[i].Value);
            place[1] = i;
            place[0] = 0;
            int put = SafeArrayPutElement(array, place, &topic);
            place[0] = 1;
            if (put == HResult.Ok)
                put = SafeArrayPutElement(array, place, &value); // which copies
            _ = VariantClear(&value);
            if (put == HResult.Ok)
                continue;
            _ = SafeArrayDestroy(array);
            return null;
        }

        return array;
    }

    private static string Cut(string text)
    {
        if (text.Length <= LongestText)
            return text;
        return text[..(char.IsHighSurrogate(text[LongestText - 1]) ? LongestText - 1 : LongestText)];
    }

    [LibraryImport("oleaut32")]
    private static partial void* SafeArrayCreate(ushort type, uint dimensions, Bound* bounds);

    [LibraryImport("oleaut32")]
    private static partial int SafeArrayDestroy(void* array);

    [LibraryImport("oleaut32")]
    private static partial uint SafeArrayGetDim(void* array);

    [LibraryImport("oleaut32")]
    private static partial int SafeArrayGetVartype(void* array, out ushort type);

    [LibraryImport("oleaut32")]
    private static partial int SafeArrayGetLBound(void* array, uint dimension, out int bound);

    [LibraryImport("oleaut32")]
    private static partial int SafeArrayGetUBound(void* array, uint dimension, out int bound);

    [LibraryImport("oleaut32")]
    private static partial int SafeArrayGetElement(void* array, int* place, void* element);

    [LibraryImport("oleaut32")]
    private static partial int SafeArrayPutElement(void* array, int* place, void* element);

    [LibraryImport("oleaut32")]
    private static partial int VariantClear(Variant* value);

    private struct Bound
    {
        public uint Count;
        public int First;
    }
}
