using System;
using System.Diagnostics;
using System.IO;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>
/// A victim in C# that is killed between any two of its instructions; everybody else, in C, goes on. The tests in C have the same names, and everything but
/// the victim: tests/native/support/stepper.h says how it is done.
/// </summary>
/// <remarks>Some instructions of each operation at random; IPC_STEP_SEED repeats a run, with IPC_TEST_LONG=1 there are up to 600 of each.</remarks>
public sealed class StepperTests
{
    [Theory]
    [InlineData("stepper_test", "a_ring_goes_on_whenever_a_writer_dies")]
    [InlineData("stepper_test", "a_ring_goes_on_whenever_the_writer_of_a_loan_dies")]
    [InlineData("stepper_test", "a_ring_goes_on_whenever_the_writer_of_a_batch_dies")]
    [InlineData("stepper_test", "a_ring_goes_on_whenever_a_reader_dies")]
    [InlineData("stepper_test", "a_ring_goes_on_whenever_a_reader_dies_that_returns_space_and_loans")]
    [InlineData("stepper_test", "a_region_goes_on_whenever_who_makes_or_ends_it_dies")]
    [InlineData("stepper_test", "a_region_goes_on_whenever_who_comes_or_leaves_dies")]
    [InlineData("stepper_test", "a_queue_goes_on_whenever_a_sender_dies")]
    [InlineData("stepper_test", "a_queue_goes_on_whenever_the_sender_of_a_loan_dies")]
    [InlineData("stepper_test", "a_queue_goes_on_whenever_a_receiver_dies")]
    [InlineData("stepper_sharing_test", "a_topic_goes_on_whenever_a_writer_dies")]
    [InlineData("stepper_sharing_test", "a_topic_goes_on_whenever_the_writer_of_a_loan_dies")]
    [InlineData("stepper_sharing_test", "a_topic_goes_on_whenever_a_reliable_reader_dies")]
    [InlineData("stepper_sharing_test", "a_topic_goes_on_whenever_a_reader_dies_that_joins")]
    [InlineData("stepper_sharing_test", "a_topic_goes_on_whenever_a_reader_dies_that_leaves")]
    [InlineData("stepper_sharing_test", "a_mutex_goes_on_whenever_who_has_it_dies")]
    [InlineData("stepper_sharing_test", "a_semaphore_goes_on_whenever_who_has_a_permit_dies")]
    [InlineData("stepper_sharing_test", "an_event_goes_on_whenever_who_sets_it_dies")]
    [InlineData("stepper_sharing_test", "a_server_goes_on_whenever_a_client_dies")]
    [InlineData("stepper_sharing_test", "clients_go_on_whenever_a_server_dies_that_accepts")]
    [InlineData("stepper_sharing_test", "a_name_goes_on_whenever_who_listens_there_dies")]
    public void EverybodyGoesOnWhereverAVictimInCSharpDies(string program, string test) => Run(program, test);

    private static void Run(string program, string test)
    {
        const int Skipped = 77;
        string[] victim = PeerPrograms.Of(Language.CSharp);
        using var directory = new RegionDirectory();
        var start = new ProcessStartInfo(PeerPrograms.Native("tests/native/" + program), [test]) { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["IPC_DIR"] = directory.Path;
        (start.Environment["IPC_STEP_HOST"], start.Environment["IPC_STEP_VICTIM"]) = (victim[0], victim[1]);
        start.Environment["DOTNET_EnableDiagnostics"] = "0"; // who is killed would leave its socket
        start.Environment["DOTNET_TieredPGO"] = "0"; // starts sooner
        using var stepper = Process.Start(start)!;
        System.Threading.Tasks.Task<string> errors = stepper.StandardError.ReadToEndAsync();
        string output = stepper.StandardOutput.ReadToEnd(); // it ends by itself: its watchdog does not sleep
        stepper.WaitForExit();
        TestContext.Current.SendDiagnosticMessage(output);
        if (stepper.ExitCode == Skipped)
            Assert.Skip(output);
        Assert.True(stepper.ExitCode == 0, output + errors.Result);
    }
}
