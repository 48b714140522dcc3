# The mutants of the C++ calls (src/Ipc.Native/include/ipc/rpc), for tests/mutate.sh: what is replaced by what, and the test that must notice.
# shellcheck shell=bash
#
# Not here, because no quick test can be sure to meet the moment: the orders of the crew's words ([rouse]: who begins a handler, who stops) and of a
# worker's phase; rpc_server_stress and rpc_client_stress look for those at random.

rpc=src/Ipc.Native/include/ipc/rpc

# ---- one call's is not another's -------------------------------------------------------------------------------------

rpc_mutant short "reuse" "a late answer goes to the next call in its place" $rpc/detail/call_table.hpp \
    's/ \|\| entries_\[index\]\.id\(\) != call\)/)/' rpc_frames_test ALateReplyNeverMeetsAnotherCall
rpc_mutant long "reuse" "the same, where it lies in the ring" $rpc/detail/pending.hpp \
    's/if \(next\.header\.call != id\(\)\)/if (static_cast<uint32_t>(next.header.call) != index + 1u)/' rpc_frames_test ALateReplyNeverMeetsAnotherCall
rpc_mutant long "reuse" "how a call ended stays in its place" $rpc/detail/call_table.hpp \
    '/void free\(/,/^    }/s/entry\.end = \{\};/;/' rpc_streams_test WhatOneCallLeftIsNotTheNextOnes
rpc_mutant long "reuse" "what came for a call stays in its place" $rpc/detail/call_table.hpp \
    '/void free\(/,/^    }/s/entry\.arrived\.clear\(\);/;/' rpc_streams_test WhatOneCallLeftIsNotTheNextOnes
rpc_mutant long "[answer]" "a call that has its answer is still found by its id" $rpc/detail/callee_calls.hpp \
    's/ && !context->answered_\.load\(std::memory_order_relaxed\)//' rpc_protocol_test ACallThatHasItsAnswerIsNotPendingWhateverIsStillToBeDoneAboutIt

# ---- registrations ---------------------------------------------------------------------------------------------------

rpc_mutant long "canceller" "a call that has ended stays registered with its canceller" $rpc/canceller.hpp \
    '/~registered\(\)/,/^    }/s/from_->remove\(&waiting_\);/;/' rpc_cancel_test ACancellerForgetsWhatHasEnded
rpc_mutant long "callee" "a served call that has ended stays registered" $rpc/detail/callee_calls.hpp \
    '/void remove\(call_context/,/^    }/{/registered_\.erase/d}' rpc_options_test CallsThatHaveEndedAreNotCountedAmongThoseThatBlock

# ---- cancellation ----------------------------------------------------------------------------------------------------

rpc_mutant long "cancel" "the server is not told of a stream that is dropped" $rpc/detail/caller_core.hpp \
    's/if \(!entry\.ended && entry\.epoch == epoch_\)/if (false)/' rpc_streams_test AStreamThatIsDroppedIsCancelledAtItsProducer
rpc_mutant long "cancel" "the server is not told of a call that is cancelled" $rpc/detail/call_table.hpp \
    '/void abort\(/,/^    }/{/owed_cancels\.push_back/d}' rpc_frames_test WhatIsCancelledIsCancelledAtTheServerAtOnce
rpc_mutant long "cancel" "a handler's calls are not cancelled with it" $rpc/detail/call_limits.hpp \
    's/^        cancel = outer_\.get\(\);$/        return;/' rpc_extras_test ANestedCallIsCancelledWithItsHandler
rpc_mutant long "deadline" "a handler's calls have any time" $rpc/detail/call_limits.hpp \
    's/until = deadline\(std::min\(until\.at\(\), serving->until\(\)\.at\(\)\)\);/;/' rpc_extras_test ANestedCallHasTheTimeAndTheTraceOfItsHandler

# ---- credit and room -------------------------------------------------------------------------------------------------

rpc_mutant long "credit" "a client that has consumed items returns no credit" $rpc/detail/caller_core.hpp \
    's/if \(!entry\.window\.is_due\(\) \|\| entry\.ended\)/if (true)/' rpc_streams_test AStreamDeliversItsItemsInOrderAndEnds
rpc_mutant long "credit" "a handler that has consumed items returns no credit" $rpc/detail/callee.hpp \
    's/if \(context\.window_\.is_due\(\)\)/if (false)/' rpc_input_test AClientStreamArrivesInOrderAndIsAnswered
rpc_mutant long "room" "a server does not say what it has read of items" $rpc/detail/session.hpp \
    's/if \(!transit_\.is_due\(\)\)/if (true)/' rpc_input_test AClientStreamArrivesInOrderAndIsAnswered

# ---- order, and bounds -----------------------------------------------------------------------------------------------

rpc_mutant long "order" "a frame overtakes those that wait for room" $rpc/detail/frame_sender.hpp \
    '/result try_send\(/,/^    }/s/if \(!queue_\.empty\(\)\)/if (false)/' rpc_unread_test NoFrameOvertakesThoseThatWaitForRoom
rpc_mutant short "order" "a request overtakes those that wait for room" $rpc/detail/client_writing.hpp \
    's/if \(queue_\.empty\(\) \|\| !queue_\.has\(epoch, turn\)\)/if (true)/' rpc_cancel_test RequestsKeepTheirOrderBehindAFullRing
rpc_mutant short "bound" "refusals for a server that does not read are kept for ever" $rpc/detail/client_writing.hpp \
    's/owed_bytes_ > most_owed_/false/' rpc_unread_test AClientKeepsSoMuchAndNoMoreForAServerThatDoesNotRead
rpc_mutant long "bound" "answers to a client that does not read are kept for ever" $rpc/detail/frame_sender.hpp \
    's/was_congested && queued_ \+ body\.size\(\) > most_queued_/false/' rpc_unread_test WhoLeavesTooMuchUnreadIsCutOff
