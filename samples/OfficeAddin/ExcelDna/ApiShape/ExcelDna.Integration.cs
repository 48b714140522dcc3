// The part of Excel-DNA 1.9's API that the add-in uses: names, parameters and types, and nothing behind them. With it the add-in can be compiled where
// the package is not to be had (-p:ExcelDna=ApiShape). What comes out is no add-in, and is good for nothing but the compiler's opinion.
#pragma warning disable CA1711, CA1712, CA1707, CA2211 // the names are Excel-DNA's
using System;

namespace ExcelDna.Integration
{
    public interface IExcelAddIn
    {
        void AutoOpen();

        void AutoClose();
    }

    public enum ExcelError : short
    {
        ExcelErrorNull = 0,
        ExcelErrorDiv0 = 7,
        ExcelErrorValue = 15,
        ExcelErrorRef = 23,
        ExcelErrorName = 29,
        ExcelErrorNum = 36,
        ExcelErrorNA = 42,
        ExcelErrorGettingData = 43,
    }

    public sealed class ExcelMissing
    {
        private ExcelMissing()
        {
        }
    }

    public sealed class ExcelEmpty
    {
        private ExcelEmpty()
        {
        }
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class ExcelFunctionAttribute : Attribute
    {
        public string? Name { get; set; }

        public string? Category { get; set; }

        public string? Description { get; set; }

        public bool IsThreadSafe { get; set; }

        public bool IsVolatile { get; set; }
    }

    public delegate void ExcelAction();

    public static class ExcelAsyncUtil
    {
        public static object Observe<T>(string callerFunctionName, object callerParameters, Func<IObservable<T>> observableSource)
            => throw new NotSupportedException();

        public static object RunAsTask<TResult>(string callerFunctionName, object callerParameters, Func<TResult> function)
            => throw new NotSupportedException();

        public static void QueueAsMacro(ExcelAction action) => throw new NotSupportedException();
    }

    public static class XlCall
    {
        public static readonly int xlcCalculateNow;

        public static object Excel(int xlFunction, params object[] parameters) => throw new NotSupportedException();
    }
}

namespace ExcelDna.Integration.CustomUI
{
    public interface IRibbonControl
    {
        string Id { get; }
    }

    public class ExcelRibbon
    {
        public virtual string GetCustomUI(string RibbonID) => throw new NotSupportedException();
    }
}
