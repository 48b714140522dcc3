# The mutants of Ipc.Rpc, for tests/mutate-cs.sh: what is replaced by what, and the test that must notice.
# shellcheck shell=bash
#
# Not here, because no quick test can be sure to meet the moment: that who has read, or leaves without having had the turn, offers it to the next (ReadTurn), that a call is
# looked for once more after its connection was closed (Callee.Track), the fences of ClientChannel.AfterWrite, OneSidedFence, BackgroundReader and ServerCall.ArmDeadline. The stress tests
# of tests/Ipc.Rpc.Tests hang without them now and then.

# ---- tokens --------------------------------------------------------------------------------------------------------

file=Client/AsyncCall.cs
statement $file '_tokens.Unregister();
        Succeed(result);' 'Succeed(result);' \
    "tokens" "the token of a call that was answered cancels a later one" BetweenTests.TheTokenOfACallThatHasEndedCancelsNoLaterCall short
statement $file '_tokens.Unregister();
        SetException(failure);' 'SetException(failure);' \
    "tokens" "the token of a call that failed cancels a later one" BetweenTests.TheTokenOfACallThatHasEndedCancelsNoLaterCall
statement $file 'if (_tokens.AreTriggered) // it may have been in the moment before there was something to cancel
            Cancel();' '' \
    "tokens" "a token that fires before the call is sent is forgotten" BetweenTests.ATokenThatFiresWhileTheRequestIsWrittenCancelsTheCall
file='Client/StreamCall{TRequest,TItem}.cs'
statement "$file" 'if (_tokens.AreTriggered) // perhaps in the moment before there was something to cancel
            Cancel();' '' \
    "tokens" "the same of a stream" BetweenTests.ATokenThatFiresWhileTheRequestIsWrittenCancelsTheCall
note "tokens" "a stream stays registered with a long-lived token" TokenTests.ATokenOfTheApplicationDoesNotGrow
edit "$file" '_tokens.Unregister();
        bool wake;' "if (!Mutants.On($count)) _tokens.Unregister();
        bool wake;"
statement Client/CallTokens.cs '_second = _handler.Register(cancel, call, useSynchronizationContext: false);' '' \
    "tokens" "the token of the handler does not end its calls" ClientViewTests.ACallInsideAHandlerEndsWithIt
file='Handlers/IncomingItems{T}.cs'
statement "$file" 'enumeration.Dispose();' '' \
    "tokens" "a handler's stream stays registered with a long-lived token" HandlerTokenTests.AStreamLeavesNothingOnATokenThatOutlivesIt
file=Handlers/ServerCall.cs
statement $file '_source?.Dispose();
        _source = null;' '' \
    "[token]" "a call is used again with its token" HandlerTokenTests.ATokenThatAHandlerKeptNeverFiresForALaterCall short
statement $file 'made.Cancel(); // nobody has registered yet' '' \
    "[token]" "a token that is asked for late never fires" HandlerTokenTests.ATokenThatIsAskedForLateBelongsToItsCallOrNever

# ---- streams -------------------------------------------------------------------------------------------------------

statement 'Handlers/IncomingItems{T}.cs' 'lock (_items)
            credit = CreditDue();' 'credit = default;' \
    "credit" "a client stream whose consumer waits stalls for good" WaitingConsumerTests.AHandlerThatWaitsForEachItemGetsAllOfThem short
expression 'Client/StreamCall{TRequest,TItem}.cs' 'moved ? CreditDue() : default' 'default(ItemCredit)' \
    "credit" "a server stream whose consumer waits stalls for good" WaitingConsumerTests.ACallerThatWaitsForEachItemGetsAllOfThem
statement Wire/ItemWindow.cs '_itemsLeft += _consumed; // before it is sent: the items may come at once' '' \
    "credit" "credit is given and not remembered" IncomingStreamTests.CreditIsGivenAsItemsAreConsumed short
statement Calls/StreamCredit.cs 'waiting?.TrySetResult(true);' '' \
    "credit" "who waits for credit is not told of it" ClientStreamTests.EveryItemArrivesAndThenTheAnswerComes
statement Wire/StreamTransit.cs 'each.TrySetResult(true);' '' \
    "transit" "who waits for room of streams is not told of it" StreamTests.ItemsLargerThanTheRestOfTheRingArriveAll
statement Client/UploadCall\{TResponse\}.cs '_upload.Stop();
        base.OnFailure(failure);' 'base.OnFailure(failure);' \
    "upload" "a failed call's source goes on" ClientStreamTests.TheCalleesFailureEndsTheSource

# ---- calls of a client ---------------------------------------------------------------------------------------------

file=Client/PendingSlot.cs
expression $file 'Volatile.Read(ref _state) == (of | Pending) &&
            Interlocked.CompareExchange(ref _state, of | Ending, of | Pending) == (of | Pending)' \
    '(Volatile.Read(ref _state) & PhaseMask) == Pending' \
    "slot" "an answer to an earlier use of a slot ends the present one" BetweenTests.AnAnswerToTheCallBeforeIsNotTheNextCalls short
statement $file '_use++;' '' \
    "slot" "call ids are used again" BetweenTests.AnAnswerToTheCallBeforeIsNotTheNextCalls
expression Client/PendingTable.cs 'slot is null || !slot.IsFree' 'slot is null' \
    "slot" "a slot is taken whose call goes on" PendingTableTests.ASlotIsTakenAgainOnlyWhenItsCallHasEnded short
file=Client/CallEngine.cs
statement $file 'slot.Open();
                open = true;
                if (publish)
                    Publish();' 'if (publish) Publish(); Thread.Sleep(5); slot.Open(); open = true;' \
    "order" "a request is published before its answer can be taken" CallTests.SynchronousAsynchronousAndStreamingUsersShareOneClient
statement $file 'missed.OnFailure(failure);' '' \
    "[ended]" "a call that begins while everything ends is forgotten" BetweenTests.AMessageThatDisposesItsClientEndsItsOwnCall
statement Client/CallEngine.Frames.cs 'SendControl(FrameKind.Cancel, callId);' '' \
    "cancel" "the callee is not told of a cancellation" BetweenTests.AnAnswerToTheCallBeforeIsNotTheNextCalls
statement Client/CallTimer.cs '_due = ulong.MaxValue;
            _pause = Math.Min(_pause * 2, LongestPause);' '' \
    "deadline" "after one deadline no other is kept" BetweenTests.OneDeadlineAfterAnotherIsKept
file=Client/ClientChannel.Writing.cs
statement $file 'if (_control.HasAny || _requests.HasAny)
            FlushControl();' '' \
    "[control]" "what found a writer is not sent by that" BetweenTests.ACancellationThatMeetsAWriterIsSentBehindWhatItWrites
statement Client/SyncCall.cs 'parker.Signal();' '' \
    "[turn]" "who completes another thread's call does not wake it" CallTests.ManyThreadsShareOneClient
expression Client/ClientChannel.Reading.cs 'cancellationToken.CanBeCanceled
            ? cancellationToken.Register(
                static state => ((Parker)state!).Signal(), parker, useSynchronizationContext: false)
            : default' 'default(CancellationTokenRegistration)' \
    "[turn]" "a call that waits for another thread's reading is not cancelled" CancellationTests.ACallThatWaitsForAnotherThreadsReadingIsCancelledToo
statement Client/RpcBatch.cs 'Find(link)?.Flush();' '' \
    "batch" "a batch waits for itself" BatchTests.*

# ---- bounds --------------------------------------------------------------------------------------------------------

statement Wire/ControlQueue.cs '_bytes -= SizeOf(in frame);' '' \
    "bound" "a client counts what has been sent as waiting" UnsentTests.AClientsBoundCountsWhatWaitsAndNotWhatHasWaited
statement Server/ServerConnection.Outbox.cs '_unsent -= _outbox.Dequeue().Length;' '_outbox.Dequeue();' \
    "bound" "a server counts what has been sent as waiting" UnsentTests.AServersBoundCountsWhatWaitsAndNotWhatHasWaited
expression Handlers/ServerCall.cs 'TrySet(Answered, unless: Answered)' 'TrySet(Answered, unless: 4)' \
    "[answer]" "a call is answered twice" HostileTests.ACallIdThatIsPendingIsNotUsedTwice short
statement Handlers/CallTurns.cs 'LetIn(_limit!.Leave(), fromOrder: false);' '_limit!.ToString();' \
    "turns" "the place of a call that is over is given to nobody" ServerOptionTests.NoMoreCallsRunThanAllowedAndAllAreAnswered
