<#
Not run here: there is no Windows on the machine where this was written. PowerShell 7.6 on Linux has parsed it, and run the function that starts programs.

usage, on Windows with 64 bits, in the repository:
    pwsh eng/verify-windows.ps1

Shows what wine cannot (docs/platforms.md, "What only a real Windows or Excel can show"): builds, and runs the C tests, the test classes of
C# that eng/windows.sh runs, the add-in's scenarios in a stand-in for Excel, and, if Excel is there, the add-in in Excel itself.

Needs PowerShell 7.3 or later and the .NET 10 SDK. For the C tests and the add-in also CMake, Ninja and mingw-w64's gcc in PATH (MSYS2:
mingw-w64-ucrt-x86_64-gcc, -cmake, -ninja); the sources do not compile with Microsoft's compiler yet. What is missing is left out, and said.

The last line is  windows: N passed, M failed
#>
#Requires -Version 7.3
$ErrorActionPreference = 'Stop'
$top = Split-Path -Parent $PSScriptRoot
Set-Location $top
$native = Join-Path $top 'build/verify-windows'
$logs = Join-Path $top 'build/logs'
$regions = Join-Path ([IO.Path]::GetTempPath()) "ipc-verify-$PID"
$null = New-Item -ItemType Directory -Force $logs, $regions
$env:IPC_DIR = $regions
$env:IPC_NATIVE_BUILD = $native
$env:DOTNET_CLI_TELEMETRY_OPTOUT = '1'
$script:passed = 0
$script:failed = 0

function Has($program) { $null -ne (Get-Command $program -ErrorAction SilentlyContinue) }

# Runs PROGRAM with its output in a log; its exit code is in $LASTEXITCODE. Returns the log's lines.
function Invoke-Logged($title, $program, $words) {
    Write-Host "  $title ..."
    $log = Join-Path $logs ("verify-windows-" + ($title -replace '[^A-Za-z0-9.]+', '-') + '.log')
    $lines = @(& $program @words *>&1 | ForEach-Object { "$_" })
    [IO.File]::WriteAllLines($log, [string[]]$lines)
    , $lines
}

function Fail($title, $lines) {
    $script:failed++
    Write-Host "  FAILED: $title"
    $lines | Select-Object -Last 40 | ForEach-Object { Write-Host "  | $_" }
}

function Test-C {
    $lines = Invoke-Logged 'C tests' 'ctest' @('--test-dir', $native, '-E', '^build$', '-FA', 'built', '--timeout', '600', '--output-on-failure')
    $sum = $lines | Select-String 'tests passed, (\d+) tests failed out of (\d+)' | Select-Object -Last 1
    if (-not $sum) { Fail 'C tests' $lines; return }
    $bad = [int]$sum.Matches[0].Groups[1].Value
    $script:passed += [int]$sum.Matches[0].Groups[2].Value - $bad
    if ($bad -ne 0) { Fail 'C tests' $lines; $script:failed += $bad - 1 }
}

function Test-Managed($project, $classes) {
    $lines = Invoke-Logged "building $project" 'dotnet' @('build', "tests/$project", '-c', 'Release', '-v:minimal', '-tl:off')
    if ($LASTEXITCODE -ne 0) { Fail "building $project" $lines; return }
    $words = @("tests/$project/bin/Release/net10.0/$project.dll", '-noLogo', '-noColor')
    foreach ($class in $classes) { $words += '-class', "*.$class" }
    $lines = Invoke-Logged $project 'dotnet' $words
    $code = $LASTEXITCODE
    $sum = $lines | Select-String 'Total: (\d+), Errors: (\d+), Failed: (\d+), Skipped: (\d+)' | Select-Object -Last 1
    if (-not $sum) { Fail $project $lines; return }
    $total, $errors, $wrong, $skipped = $sum.Matches[0].Groups[1..4] | ForEach-Object { [int]$_.Value }
    $bad = $errors + $wrong
    $script:passed += $total - $bad - $skipped
    if ($bad -ne 0 -or $code -ne 0) { Fail $project $lines; $script:failed += [Math]::Max($bad, 1) - 1 }
}

# Makes the folder of the add-in, as samples/OfficeAddin/windows-folder.sh does. Returns the path of ipc.xll.
function New-AddIn {
    foreach ($project in 'Xll', 'Daemon') {
        $lines = Invoke-Logged "building the add-in's $project" 'dotnet' @('build', "samples/OfficeAddin/$project", '-c', 'Release', '-v:minimal', '-tl:off')
        if ($LASTEXITCODE -ne 0) { Fail "building the add-in's $project" $lines; return $null }
    }
    $folder = Join-Path $top 'build/verify-windows-addin'
    $null = New-Item -ItemType Directory -Force $folder
    Copy-Item (Join-Path $native 'samples/OfficeAddin/Xll/Loader/ipc.xll'), 'samples/OfficeAddin/Xll/bin/Release/net10.0/*.dll', 'samples/OfficeAddin/Xll/bin/Release/net10.0/*.json' $folder
    Join-Path $folder 'ipc.xll'
}

# The scenarios of samples/OfficeAddin/test-windows.sh that need no second runtime of .NET.
function Test-StandIn($xll, $table) {
    $program = Join-Path $native 'samples/OfficeAddin/StandIn/sheet_stand_in.exe'
    $daemon = Join-Path $top 'samples/OfficeAddin/Daemon/bin/Release/net10.0/OfficeAddin.Daemon.dll'
    $serve = "C#=`"$((Get-Command dotnet).Source)`" `"$daemon`" --name sheet --csv `"$table`""
    $copy = Join-Path $top 'build/verify-windows-addin-copy'
    Copy-Item -Recurse -Force (Split-Path $xll) $copy
    $scenarios = @(
        @('several threads', @{}, @()),
        @('functions that wait, 1904', @{ IPC_SHEET_LATER = '0'; IPC_SHEET_DATES = '1904' }, @()),
        @('live values', @{}, @('live', (Join-Path $copy 'ipc.xll'))),
        @('live values, not volatile', @{ IPC_SHEET_VOLATILE = '0' }, @('live')),
        @('break in mid-call', @{ IPC_SHEET_LATER = '0'; IPC_SHEET_DEADLINE_MS = '60000' }, @('break')),
        @('close in mid-call', @{ IPC_SHEET_DEADLINE_MS = '60000' }, @('close')),
        @('a daemon that hangs', @{ IPC_SHEET_DEADLINE_MS = $null }, @('hang')))
    foreach ($scenario in $scenarios) {
        $title, $settings, $words = $scenario
        $env:IPC_SHEET_DEADLINE_MS = '5000'
        foreach ($name in $settings.Keys) { Set-Item "env:$name" $settings[$name] } # nothing: as users have it
        $lines = Invoke-Logged "add-in, $title" $program (@($xll, 'sheet', $table, $serve, $serve) + $words)
        $code = $LASTEXITCODE
        foreach ($name in @($settings.Keys) + 'IPC_SHEET_DEADLINE_MS') { Remove-Item "env:$name" -ErrorAction SilentlyContinue }
        if ($code -eq 0 -and "$($lines[-1])" -match '^cells compared [1-9]\d*, wrong 0$') { $script:passed++ } else { Fail "add-in, $title" $lines }
    }
}

# Excel itself: it loads the add-in, a cell has the daemon's value, and #N/A when the daemon is gone.
function Test-Excel($xll, $table) {
    $excel = $null
    $daemon = $null
    try {
        $words = "samples/OfficeAddin/Daemon/bin/Release/net10.0/OfficeAddin.Daemon.dll --name sheet --csv `"$table`""
        $daemon = Start-Process dotnet $words -PassThru -WindowStyle Hidden
        Start-Sleep 3
        $excel = New-Object -ComObject Excel.Application
        $excel.DisplayAlerts = $false
        Write-Host "  Excel $($excel.Version) ..."
        if (-not $excel.RegisterXLL($xll)) { Fail 'Excel does not load the add-in' @(); return }
        $script:passed++
        $sheet = $excel.Workbooks.Add().Worksheets.Item(1)
        $row = Import-Csv $table | Select-Object -First 1
        $sheet.Range('A1').Formula = "=IPC.GET(`"sheet`",`"$($row.ID)`",`"NAME`")"
        $sheet.Range('A2').Formula = '=IPC.STATUS("sheet")'
        for ($i = 0; $i -lt 50 -and $sheet.Range('A1').Text -ne $row.NAME; $i++) { Start-Sleep -Milliseconds 200; $excel.Calculate() }
        $said = "A1 is $($sheet.Range('A1').Text), A2 is $($sheet.Range('A2').Text)"
        if ($sheet.Range('A1').Text -eq $row.NAME) { $script:passed++ } else { Fail 'a cell in Excel' @($said) }
        $daemon.Kill()
        for ($i = 0; $i -lt 50 -and $sheet.Range('A1').Text -ne '#N/A'; $i++) { Start-Sleep -Milliseconds 200; $excel.Calculate() }
        if ($sheet.Range('A1').Text -eq '#N/A') { $script:passed++ } else { Fail 'a cell in Excel after the end of the daemon' @("A1 is $($sheet.Range('A1').Text)") }
    } catch {
        Fail 'Excel' @("$_")
    } finally {
        if ($excel) { foreach ($book in @($excel.Workbooks)) { $book.Close($false) }; $excel.Quit() }
        if ($daemon -and -not $daemon.HasExited) { $daemon.Kill() }
    }
}

if (-not (Has dotnet)) { throw 'the .NET 10 SDK is not in PATH' }
$built = $false
if ((Has cmake) -and (Has ninja) -and (Has gcc)) {
    $lines = Invoke-Logged 'configuring C' 'cmake' @('-S', $top, '-B', $native, '-G', 'Ninja', '-DCMAKE_C_COMPILER=gcc', '-DCMAKE_CXX_COMPILER=g++', '-DCMAKE_EXE_LINKER_FLAGS=-static')
    if ($LASTEXITCODE -eq 0) { $lines = Invoke-Logged 'building C' 'cmake' @('--build', $native) }
    $built = $LASTEXITCODE -eq 0
    if ($built) { Test-C } else { Fail 'building C' $lines }
} else {
    Write-Host '  left out: the C tests, Ipc.Interop.Tests and the add-in (cmake, ninja or gcc is not in PATH)'
}

# Which classes is written down once, in eng/windows.sh.
$list = [regex]::Match((Get-Content -Raw 'eng/windows.sh'), '(?s)declare -A classes=\((.*?)\n\)').Groups[1].Value
foreach ($entry in [regex]::Matches($list, '\[(\S+)\]="([^"]*)"')) {
    $project = $entry.Groups[1].Value
    if ($project -eq 'Ipc.Interop.Tests' -and -not $built) { continue } # its other side is C
    Test-Managed $project @(-split $entry.Groups[2].Value)
}

if ($built -and ($xll = New-AddIn)) {
    $table = Join-Path $top 'samples/OfficeAddin/Workbook/instruments.csv'
    Test-StandIn $xll $table
    if (Test-Path 'Registry::HKEY_CLASSES_ROOT\Excel.Application') { Test-Excel $xll $table } else { Write-Host '  left out: Excel itself (it is not installed)' }
}

Remove-Item -Recurse -Force $regions -ErrorAction SilentlyContinue
Write-Host "windows: $($script:passed) passed, $($script:failed) failed"
exit [int]($script:failed -ne 0 -or $script:passed -eq 0)
