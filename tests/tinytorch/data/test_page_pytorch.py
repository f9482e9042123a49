"""The 115 tests in PyTorch's test/test_dataloader.py by name (main of 2024, with the four of 2.6
about order), each with what asks the same of our loaders, or with the reason why it cannot be
asked. TestDataLoaderPersistentWorkers repeats all of TestDataLoader with workers that stay; ours
take both ways by themselves.
"""

from __future__ import annotations

import os
import re

import numpy as np
import pytest
from claims import is_a_test
from peers_kit import numbers

# for each group a proof, or the reason why there is none, and the names without "test_"
PROOFS = """
DatasetRandomSplit
    test_parts_and_streams_that_cannot_be_are_refused_with_the_reason =
        lengths_must_equal_dataset_size incomplete_fractional_splits
    test_a_random_split_gives_each_sample_to_one_part = splits_have_correct_size
        splits_are_mutually_exclusive splits_reproducibility splits_generator
    test_indices_are_one_array_of_int64_and_give_python_ints = splits_indexing_type
    test_a_gathered_epoch_is_the_epoch_sample_by_sample = slicing_of_subset_of_dataset
        slicing_of_subset_of_subset
TensorDataset
    08/2b.test_the_length_counts_the_rows = len
    08/2b.test_a_sample_is_a_row_of_each_tensor = getitem getitem_1d single_tensor
        many_tensors
StackDataset
    test_columns_give_rows_views_and_batches_or_are_refused = empty mixed size_mismatch
        getitems_raises_index_error len single getitem
    test_rows_of_a_view_are_read_like_single_rows = getitems
    no such case: columns are arrays, so none can hand out fewer rows = getitems_value_error
ConcatDataset
    test_a_concatenation_is_its_parts_one_after_the_other = concat_two_singletons
        concat_two_non_singletons concat_two_non_singletons_with_empty
        concat_raises_index_error add_dataset
    test_an_odd_value_is_refused_with_the_rule_or_taken = iterable_dataset_err
DataLoader
    test_after_a_fault_nothing_hangs_and_nothing_is_left = error_in_init multiple_dataloaders
        segfault large_sampler_indices proper_exit partial_workers
    test_a_worker_that_takes_too_long_is_named_and_the_pool_is_closed = timeout
    test_kept_batches_need_no_open_files = fd_limit_exceeded
    test_a_sampler_is_an_iterable_of_indices_also_one_that_is_set_later =
        invalid_assign_after_init
    test_gathered_batches_are_those_of_single_items = sequential_nonbatch sequential_batch
        sequential_workers seqential_batch_workers seqential_batch_workers_prefetch shuffle
        shuffle_batch_none shuffle_batch shuffle_workers shuffle_batch_workers
        shuffle_batch_workers_prefetch len
    test_the_same_seed_gives_the_same_epoch_however_many_workers = shuffle_reproducibility
    test_a_sampler_decides_what_comes = bulk_loading_nobatch sampler batch_sampler
    test_08b_sees_that_a_dataset_grew = growing_dataset
    test_pin_memory_is_taken_and_changes_no_batch = sequential_pin_memory shuffle_pin_memory
    test_workers_in_a_script_with_spawn = multiprocessing_contexts
    test_linear_algebra_in_a_worker_has_one_thread_and_the_environment_is_put_back =
        no_segfault
    test_08b_takes_what_means_one_thing_and_refuses_what_does_not = invalid_ctor_args_combinations
        distributed_sampler_invalid_rank
    test_any_hooks_and_any_number_of_workers_give_what_the_plain_loop_gives =
        builtin_collection_conversion iterable_style_dataset chain_iterable_style_dataset
    test_what_is_resumed_at_any_batch_is_exactly_the_rest = multiprocessing_iterdatapipe
    test_with_spawn_a_lambda_is_refused_at_once_with_a_sentence =
        multiprocessing_iterdatapipe_with_dill
    test_a_worker_knows_its_number_its_seed_and_its_copy_of_the_dataset = worker_seed
        worker_seed_reproducibility get_worker_info
    test_every_item_comes_once_and_the_parts_take_turns = multi_epochs_reproducibility
    test_what_a_loader_s_hook_seeds_stays_seeded_for_the_whole_epoch = worker_init_fn
    test_random_sampler_with_and_without_replacement = random_sampler
        random_sampler_len_with_replacement random_sampler_len_without_replacement
    08b/6b.test_each_index_is_on_one_rank = duplicating_data_with_drop_last
    test_a_seed_repeats_every_sampler = sampler_reproducibility
    08/4a.test_value_k_is_row_k = numpy
    test_with_a_seed_a_task_s_numbers_depend_on_nothing_but_epoch_and_task = numpy_gen_state
    08b/3b.test_any_other_error_passes_through = error
    test_a_workers_error_is_raised_as_it_was_after_all_results_before_it = error_workers
    test_a_stream_is_read_to_its_end_whatever_length_it_states = iterabledataset_len
    08b/1a.test_numbers_and_arrays_are_stacked = numpy_scalars default_collate_dtype
    08b/1b.test_mappings_keep_their_type = default_convert_mapping_keep_type
    08b/1b.test_sequences_keep_their_type = default_convert_sequence_keep_type
        default_convert_sequence_dont_keep_type
    08b/1a.test_mappings_keep_their_type = default_collate_mapping_keep_type
    08b/1a.test_sequences_keep_their_type = default_collate_sequence_keep_type
        default_collate_sequence_dont_keep_type
    test_what_cannot_be_stacked_is_named_with_position_key_and_type =
        default_collate_bad_numpy_types
    08/4a.test_a_batch_has_memory_of_its_own = default_collate_numpy_memmap
    08b/1a.test_unequal_lengths_are_refused = default_collate_bad_sequence_type
    test_batches_that_are_kept_stay_as_they_are_and_may_be_written_to =
        default_collate_shared_tensor
    no such case: our classes are not generic = typing
    no warning: the profiler measures how many workers pay = excessive_thread_creation_warning
DataLoaderPersistentWorkers
    test_kept_batches_need_no_open_files = fd_limit_exceeded
    test_workers_that_stay_keep_the_dataset_as_they_got_it = dataset_not_reset
    test_after_a_fault_nothing_hangs_and_nothing_is_left = early_exit
StringDataLoader
    test_pin_memory_is_taken_and_changes_no_batch = shuffle_pin_memory
DictDataLoader
    test_pin_memory_is_taken_and_changes_no_batch = pin_memory pin_memory_device
        pin_memory_with_only_device
    08b/1a.test_mappings_keep_their_type = sequential_batch
ConvAfterFork
    test_linear_algebra_in_a_worker_has_one_thread_and_the_environment_is_put_back =
        conv_after_fork
NamedTupleDataLoader
    08b/1a.test_sequences_keep_their_type = dataloader_with_namedtuple
DataLoaderDeviceType
    test_a_result_arrives_with_its_types_its_nesting_and_its_values =
        nested_tensor_multiprocessing
IntegrationTestDataLoaderDataPipe
    test_every_epoch_has_its_own_order_and_a_seed_repeats_them = shuffler_iterdatapipe
CustomPinFn
    test_a_hook_that_sees_items_gets_them_one_by_one = custom_batch_pin
        custom_batch_pin_worker
IndividualWorkerQueue
    test_every_task_is_answered_once_whatever_the_number_of_workers = ind_worker_queue
OutOfOrderDataLoader
    test_every_task_is_answered_once_whatever_the_number_of_workers = in_order_iterable_ds
    08b/5a.test_results_are_put_in_order = in_order_index_ds
    no such option: results out of order would make a run that cannot be repeated =
        out_of_order_index_ds out_of_order_iterable_ds
SetAffinity
    test_worker_init_runs_in_each_worker_and_knows_which_it_is = set_affinity_in_worker_init
"""


def test_each_of_pytorch_s_115_names_has_a_proof_or_a_reason():
    names, proofs = [], []
    for group in re.split(r"\n(?=\w)", PROOFS.strip()):
        title, *rows = re.split(r"\n    (?=\w)", group)
        for row in rows:
            proof, some = re.split(r"\s=\s", row)
            proofs.append(proof)
            names += [f"{title}.{name}" for name in some.split()]
    assert len(names) == len(set(names)) == 115
    reasons = [proof for proof in proofs if not is_a_test(proof, "08b")]
    assert len(reasons) == 4 and all(": " in reason for reason in reasons), reasons


class Bulk(list):
    """Reads a whole list of indices as one item."""

    def __getitem__(self, indices):
        assert isinstance(indices, list)
        return np.array(indices)


PARTS = [part.tolist() for part in np.array_split(np.random.default_rng(0).permutation(35), 9)]


@pytest.mark.parametrize("num_workers", [0, 3] if hasattr(os, "fork") else [0])
@pytest.mark.parametrize(
    "data, chosen, want",
    [
        ([*range(20)], {"bs": 2, "sampler": range(2, 7)}, [[2, 3], [4, 5], [6]]),
        ([*range(35)], {"batch_sampler": list(map(tuple, PARTS))}, PARTS),
        (Bulk(range(35)), {"bs": None, "sampler": PARTS}, PARTS),
    ],
    ids=["a sampler", "a batch_sampler", "lists as items"],
)
def test_a_sampler_decides_what_comes(make, num_workers, data, chosen, want):
    loader = make(data, **chosen, num_workers=num_workers)
    assert len(loader) == len(want) and numbers(loader) == want


@pytest.mark.parametrize("where", [{"pin_memory_device": "cuda"}, {"device": "cpu"}])
def test_pin_memory_is_taken_and_changes_no_batch(lab, where):
    data = [{"array": np.full(2, n), "inner": {"text": "a"}} for n in range(4)]
    plain, other = (
        list(lab.DataLoader(data, bs=2, shuffle=True, seed=1, **settings))
        for settings in ({}, {"pin_memory": True, **where})
    )
    for one, same in zip(plain, other, strict=True):
        assert np.array_equal(one["array"].data, same["array"].data)
        assert one["inner"] == same["inner"] == {"text": ["a", "a"]}


# Samplers


def test_random_sampler_with_and_without_replacement(lab, make):
    data = range(100)
    drawn = list(lab.RandomSampler(data, replacement=True, num_samples=100))
    # no index twice: by accident once in 10**42
    assert len(drawn) == 100 > len(set(drawn)) and set(drawn) <= set(data)
    assert sorted(lab.RandomSampler(data)) == list(data)
    more = list(lab.RandomSampler(data, num_samples=250, seed=0))
    assert sorted(more[:100]) == sorted(more[100:200]) == list(data)
    assert more[:100] != more[100:200] and len(set(more[200:])) == 50
    assert more[:99] == list(lab.RandomSampler(data, num_samples=99, seed=0))
    for replacement, count in ((True, 105), (False, 95), (False, 205)):
        sampler = lab.RandomSampler(data, replacement=replacement, num_samples=count)
        assert len(sampler) == len(list(sampler)) == count
        assert len(make(data, bs=6, sampler=sampler)) == -(-count // 6)


@pytest.mark.parametrize(
    "sampler",
    [
        "RandomSampler(range(10), replacement=True, num_samples=5, seed=42)",
        "RandomSampler(range(10), seed=42)",
        "WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 5, seed=42)",
        "WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 5, replacement=False, seed=42)",
        "SubsetRandomSampler(range(10), seed=42)",
        "BatchSampler(RandomSampler(range(10), seed=42), 3)",
    ],
)
def test_a_seed_repeats_every_sampler(lab, sampler):
    """And two loops at once disturb each other in none."""
    one, again, third = (eval(sampler, dict(vars(lab))) for _ in range(3))
    first, second = list(one), list(one)
    assert [list(again), list(again)] == [first, second] and first != second
    both = list(zip(iter(third), iter(third), strict=True))
    assert both == list(zip(first, second, strict=True))
    assert len(first) == len(one)
