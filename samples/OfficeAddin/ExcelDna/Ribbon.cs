using System.Runtime.InteropServices;
using ExcelDna.Integration;
using ExcelDna.Integration.CustomUI;

namespace OfficeAddin.ExcelDna;

/// <summary>A group "Ipc" on the tab of formulas, with one button: ask every daemon again.</summary>
[ComVisible(true)]
public sealed class Ribbon : ExcelRibbon
{
    public override string GetCustomUI(string RibbonID) => """
        <customUI xmlns="http://schemas.microsoft.com/office/2009/07/customui">
          <ribbon><tabs><tab idMso="TabFormulas">
            <group id="ipc" label="Ipc">
              <button id="ipcAgain" label="Ask again" size="large" imageMso="RefreshAll" onAction="OnAskAgain"
                      screentip="Recalculates the workbook, so that every IPC function asks its daemon." />
            </group>
          </tab></tabs></ribbon>
        </customUI>
        """;

    /// <summary>Found by its name in the text above.</summary>
    public void OnAskAgain(IRibbonControl control) => ExcelAsyncUtil.QueueAsMacro(() => XlCall.Excel(XlCall.xlcCalculateNow));
}
