# The mutants of the core of the spreadsheet add-in (samples/OfficeAddin/Core), for tests/mutate-cs.sh: what is replaced by what, and the test that must notice.
# shellcheck shell=bash
#
# Not here: that a question whose daemon died under it is asked once more (SheetService.Ask). The successor would have to listen before the one that has the name is dead.

file=CellBatch.cs
expression $file 'now - cell.AnsweredAt < _freshness' 'true' \
    "freshness" "an answer is handed out for ever" BatchTests.NoValueIsOlderThanItsFreshness short
statement $file 'Monitor.PulseAll(_gate);' '' \
    "round" "who waits for another thread's request is not told of its end" BatchTests.ThreadsThatAskAtTheSameTimeShareARequest
statement $file '_next = new Round();' '' \
    "round" "a cell joins a request that is under way" BatchTests.SomeThreadsInAHurryGetTheRightValues
expression $file 'cell.Suspicions++ == Suspicions' 'false' \
    "memory" "a cell that has left the sheet is asked for, for ever" BatchTests.ACellThatHasLeftTheSheetIsForgotten
statement $file '_unasked.AddLast(cell.Node);' '_unasked.AddFirst(cell.Node);' \
    "order" "what was asked for last is expected first" BatchTests.ARecalculationIsOneRequestOnceItsCellsAreKnown short

file=SheetService.cs
statement $file 'Volatile.Write(ref _pausesUntil, Clock.Now + Clock.Ticks(tookLong ? _options.SlowPause : _options.AbsentPause));' '' \
    "pause" "a daemon that is not there is looked for by every cell" FailureTests.AMissingDaemonIsLookedForOnceAndNotByEveryCell short

file=CellStreams.cs
statement $file 'Set(stream, null);' '' \
    "streams" "a cell keeps its value when its daemon has gone" StreamTests.AnObserverIsToldOfValuesOfTheEndAndOfTheNextDaemon
