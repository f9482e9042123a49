"""The tests in PyTorch's test/test_dataloader.py by name (main of 2024, with the four of 2.6 about
order), each with the test of ours that asks the same of our loaders, or with the reason why it
cannot be asked. A test of ours is `FILE.name`, in the file test_peers_FILE.py beside this one.

PyTorch's TestDataLoaderPersistentWorkers repeats all of TestDataLoader with workers that stay. Ours
take both ways by themselves: `every_way` and `stays` in peers_kit.py.
"""

from __future__ import annotations

IN_ORDER = "loading.test_in_order_batches_are_the_rows_one_after_the_other"
SHUFFLED = "loading.test_shuffled_batches_hold_every_row_once_with_its_label"
PINNED = "collate.test_pin_memory_is_taken_and_changes_no_batch"
OWN_BATCH = "collate.test_a_batch_of_the_user_s_own_type_passes_pin_memory"
REFUSED = "loading.test_arguments_that_contradict_each_other_are_refused_at_once"
ITEM_ERROR = "loading.test_an_item_s_error_is_raised_as_it_is_and_ends_the_epoch"
TENSOR_ROWS = "datasets.test_a_sample_of_a_tensor_dataset_is_a_row_of_each_tensor"
COLUMN_ROWS = "datasets.test_columns_are_as_long_as_each_of_them_and_a_row_has_each"
JOINED = "datasets.test_datasets_one_after_the_other_are_one_dataset"
NUMBERS = "collate.test_collate_keeps_the_type_of_numbers"
TWO_SEEDS = "workers.test_each_worker_knows_which_one_it_is_and_has_a_seed_of_its_own"
GLOBAL_SEED = "workers.test_a_seed_repeats_what_workers_draw_from_numpy_s_global_generator"
KEPT_OPEN = "workers.test_kept_batches_need_no_open_files"
NAMES_A_FUNCTION = "workers.test_a_function_of_a_module_works_in_the_workers_of_a_pipeline"
ENDS_THE_LOOP = "an error ends the loop; SkipItemException leaves an item out"
NO_ORDER = "no such option: results out of order would make a run that cannot be repeated"

TESTS = {
    "TestDatasetRandomSplit": {
        "test_lengths_must_equal_dataset_size": (
            "datasets.test_lengths_of_a_split_must_add_up_to_the_dataset"
        ),
        "test_splits_have_correct_size": (
            "datasets.test_parts_of_a_split_have_the_lengths_asked_for"
        ),
        "test_splits_are_mutually_exclusive": (
            "datasets.test_parts_of_a_split_share_nothing_and_leave_nothing_out"
        ),
        "test_splits_indexing_type": "datasets.test_a_split_asks_its_dataset_with_python_integers",
        "test_splits_reproducibility": "datasets.test_a_seed_repeats_a_split",
        "test_incomplete_fractional_splits": (
            "datasets.test_fractions_of_a_split_must_add_up_to_one"
        ),
        "test_splits_generator": "datasets.test_a_split_never_touches_the_global_generators",
        "test_slicing_of_subset_of_dataset": (
            "datasets.test_several_rows_of_a_subset_are_those_of_its_dataset"
        ),
        "test_slicing_of_subset_of_subset": (
            "datasets.test_several_rows_of_a_subset_of_a_subset_are_those_of_its_dataset"
        ),
    },
    "TestTensorDataset": {
        "test_len": "datasets.test_a_tensor_dataset_is_as_long_as_its_tensors",
        "test_getitem": TENSOR_ROWS,
        "test_getitem_1d": TENSOR_ROWS,
        "test_single_tensor": TENSOR_ROWS,
        "test_many_tensors": TENSOR_ROWS,
    },
    "TestStackDataset": {
        "test_empty": "datasets.test_columns_need_at_least_one_name",
        "test_mixed": "datasets.test_columns_are_named_never_counted",
        "test_size_mismatch": (
            "datasets.test_columns_of_unequal_lengths_are_refused_with_their_lengths"
        ),
        "test_len": COLUMN_ROWS,
        "test_single": COLUMN_ROWS,
        "test_getitem": COLUMN_ROWS,
        "test_getitems": "datasets.test_a_batch_of_columns_has_the_rows_asked_for",
        "test_getitems_raises_index_error": (
            "datasets.test_a_row_outside_the_columns_is_an_index_error"
        ),
        "test_getitems_value_error": (
            "no such case: columns are arrays, so no inner dataset can hand out fewer rows"
        ),
    },
    "TestConcatDataset": {
        "test_concat_two_singletons": JOINED,
        "test_concat_two_non_singletons": JOINED,
        "test_concat_two_non_singletons_with_empty": JOINED,
        "test_concat_raises_index_error": (
            "datasets.test_an_index_behind_the_last_dataset_is_an_index_error"
        ),
        "test_add_dataset": "datasets.test_three_datasets_of_images_joined_keep_their_places",
        "test_iterable_dataset_err": ("datasets.test_a_stream_cannot_stand_among_joined_datasets"),
    },
    "TestDataLoader": {
        "test_error_in_init": "workers.test_an_error_of_worker_init_is_raised",
        "test_typing": (
            "our classes are not generic: an annotation names DataLoader, without [...]"
        ),
        "test_fd_limit_exceeded": KEPT_OPEN,
        "test_invalid_assign_after_init": (
            "streams.test_a_sampler_that_is_set_later_is_checked_too"
        ),
        "test_sequential_nonbatch": IN_ORDER,
        "test_sequential_batch": IN_ORDER,
        "test_bulk_loading_nobatch": (
            "samplers.test_a_dataset_may_read_a_whole_list_of_indices_as_one_item"
        ),
        "test_growing_dataset": (
            "loading.test_a_dataset_that_grows_makes_module_08_s_loader_longer"
        ),
        "test_sequential_pin_memory": PINNED,
        "test_multiple_dataloaders": "workers.test_several_loaders_are_read_in_turns",
        "test_segfault": "endings.test_a_worker_that_crashes_is_an_error_that_names_the_signal",
        "test_no_segfault": (
            "workers.test_linear_algebra_in_the_main_process_does_not_stop_a_forked_worker"
        ),
        "test_timeout": (
            "endings.test_a_worker_that_takes_too_long_is_an_error_that_says_how_long"
        ),
        "test_large_sampler_indices": (
            "endings.test_an_error_in_a_loop_over_large_batches_of_indices_ends_the_program"
        ),
        "test_invalid_ctor_args_combinations": REFUSED,
        "test_builtin_collection_conversion": "loading.test_a_loader_becomes_a_list_or_a_tuple",
        "test_iterable_style_dataset": (
            "loading.test_a_stream_is_cut_into_batches_and_gives_each_item_once"
        ),
        "test_chain_iterable_style_dataset": (
            "loading.test_streams_one_after_the_other_are_one_stream"
        ),
        "test_multiprocessing_contexts": ("workers.test_every_start_method_gives_the_same_batches"),
        "test_multiprocessing_iterdatapipe": NAMES_A_FUNCTION,
        "test_multiprocessing_iterdatapipe_with_dill": (
            "workers.test_a_lambda_works_in_forked_workers_and_spawn_refuses_it_in_a_sentence"
        ),
        "test_worker_seed": TWO_SEEDS,
        "test_worker_seed_reproducibility": TWO_SEEDS,
        "test_multi_epochs_reproducibility": (
            "streams.test_the_parts_of_a_stream_take_turns_in_every_epoch"
        ),
        "test_worker_init_fn": "streams.test_what_worker_init_seeds_is_seen_by_the_items",
        "test_get_worker_info": ("workers.test_what_a_worker_knows_about_itself_cannot_be_changed"),
        "test_shuffle": SHUFFLED,
        "test_shuffle_batch_none": SHUFFLED,
        "test_shuffle_batch": SHUFFLED,
        "test_shuffle_reproducibility": "loading.test_a_seed_repeats_a_shuffle",
        "test_sequential_workers": IN_ORDER,
        "test_seqential_batch_workers": IN_ORDER,
        "test_seqential_batch_workers_prefetch": IN_ORDER,
        "test_shuffle_workers": SHUFFLED,
        "test_shuffle_batch_workers": SHUFFLED,
        "test_shuffle_batch_workers_prefetch": SHUFFLED,
        "test_random_sampler": "samplers.test_random_sampler_with_and_without_replacement",
        "test_random_sampler_len_with_replacement": (
            "samplers.test_the_length_of_a_loader_is_that_of_its_random_sampler"
        ),
        "test_random_sampler_len_without_replacement": (
            "samplers.test_the_length_of_a_loader_is_that_of_its_random_sampler"
        ),
        "test_distributed_sampler_invalid_rank": (
            "samplers.test_a_rank_that_does_not_exist_is_refused"
        ),
        "test_duplicating_data_with_drop_last": (
            "samplers.test_drop_last_on_every_rank_reads_no_sample_twice"
        ),
        "test_sampler_reproducibility": (
            "samplers.test_a_seed_repeats_every_sampler_and_two_loops_disturb_each_other_in_none"
        ),
        "test_sampler": "samplers.test_a_sampler_decides_which_rows_come",
        "test_batch_sampler": "samplers.test_a_batch_sampler_decides_the_batches",
        "test_shuffle_pin_memory": PINNED,
        "test_numpy": "collate.test_a_loader_makes_one_array_of_the_arrays_of_a_dataset",
        "test_numpy_gen_state": GLOBAL_SEED,
        "test_error": ITEM_ERROR,
        "test_error_workers": ITEM_ERROR,
        "test_partial_workers": "endings.test_workers_end_when_a_loop_is_left_half_way",
        "test_proper_exit": "endings.test_however_a_program_ends_its_workers_end_too",
        "test_len": "loading.test_a_loader_is_as_long_as_it_says",
        "test_iterabledataset_len": "loading.test_the_length_of_a_stream_that_knows_it",
        "test_numpy_scalars": NUMBERS,
        "test_default_convert_mapping_keep_type": (
            "collate.test_convert_keeps_the_type_of_a_collection"
        ),
        "test_default_convert_sequence_keep_type": (
            "collate.test_convert_keeps_the_type_of_a_collection"
        ),
        "test_default_convert_sequence_dont_keep_type": (
            "collate.test_convert_makes_a_list_of_a_collection_that_holds_no_other_items"
        ),
        "test_default_collate_dtype": NUMBERS,
        "test_default_collate_mapping_keep_type": (
            "collate.test_collate_keeps_the_type_of_a_mapping"
        ),
        "test_default_collate_sequence_keep_type": (
            "collate.test_collate_keeps_the_type_of_a_sequence"
        ),
        "test_default_collate_sequence_dont_keep_type": (
            "collate.test_collate_makes_a_list_of_a_sequence_that_holds_no_tensors"
        ),
        "test_default_collate_bad_numpy_types": (
            "collate.test_arrays_of_text_and_of_objects_are_refused_by_their_type"
        ),
        "test_default_collate_numpy_memmap": (
            "collate.test_rows_of_a_memory_map_are_collated_into_memory"
        ),
        "test_default_collate_bad_sequence_type": (
            "collate.test_sequences_of_unequal_lengths_are_refused"
        ),
        "test_default_collate_shared_tensor": (
            "workers.test_batches_of_workers_stay_as_they_are_while_others_come"
        ),
        "test_excessive_thread_creation_warning": (
            "no warning: the profiler measures how many workers pay, and nothing is guessed"
        ),
    },
    "TestDataLoaderDeviceType": {
        "test_nested_tensor_multiprocessing": (
            "workers.test_lists_of_arrays_of_any_length_pass_through_workers"
        ),
    },
    "IntegrationTestDataLoaderDataPipe": {
        "test_shuffler_iterdatapipe": (
            "loading.test_a_pipeline_s_shuffle_has_another_order_each_epoch_and_a_seed_repeats_them"
        ),
    },
    "TestStringDataLoader": {"test_shuffle_pin_memory": PINNED},
    "TestDictDataLoader": {
        "test_sequential_batch": "collate.test_nested_dicts_of_a_dataset_stay_nested",
        "test_pin_memory": PINNED,
        "test_pin_memory_device": PINNED,
        "test_pin_memory_with_only_device": PINNED,
    },
    "TestDataLoaderPersistentWorkers": {
        "test_fd_limit_exceeded": KEPT_OPEN,
        "test_dataset_not_reset": (
            "workers.test_workers_that_stay_keep_the_dataset_as_they_got_it"
        ),
        "test_early_exit": "endings.test_a_program_that_leaves_its_loop_ends",
    },
    "TestNamedTupleDataLoader": {
        "test_dataloader_with_namedtuple": (
            "collate.test_named_tuples_stay_named_in_batches_and_without"
        ),
    },
    "TestCustomPinFn": {
        "test_custom_batch_pin": OWN_BATCH,
        "test_custom_batch_pin_worker": OWN_BATCH,
    },
    "TestIndividualWorkerQueue": {
        "test_ind_worker_queue": (
            "loading.test_batches_come_in_order_however_the_workers_take_turns"
        ),
    },
    "TestSetAffinity": {
        "test_set_affinity_in_worker_init": (
            "workers.test_worker_init_may_pin_its_worker_to_a_core"
        ),
    },
    "TestConvAfterFork": {
        "test_conv_after_fork": (
            "workers.test_linear_algebra_in_the_main_process_does_not_stop_a_forked_worker"
        ),
    },
    "TestOutOfOrderDataLoader": {
        "test_in_order_index_ds": (
            "workers.test_a_slow_item_is_waited_for_so_that_batches_stay_in_order"
        ),
        "test_out_of_order_index_ds": NO_ORDER,
        "test_in_order_iterable_ds": (
            "workers.test_a_slow_item_of_a_stream_is_waited_for_so_that_batches_stay_in_order"
        ),
        "test_out_of_order_iterable_ds": NO_ORDER,
    },
}

# Tests of ours that no name asks for by itself: the same for module 08, or a part of a longer one.
MORE = {
    "test_invalid_ctor_args_combinations": [
        "loading.test_a_stream_takes_no_order",
        "loading.test_module_08_refuses_what_is_no_batch_size",
        "workers.test_a_start_method_that_this_system_has_not_is_refused",
    ],
    "test_sequential_batch": ["loading.test_in_order_module_08_gives_the_rows_one_after_the_other"],
    "test_shuffle": ["loading.test_shuffled_module_08_gives_every_row_once_with_its_label"],
    "test_error": ["loading.test_items_that_cannot_be_read_are_left_out_and_the_epoch_goes_on"],
    "test_error_in_init": ["loading.test_a_stream_that_fails_to_begin_says_why"],
    "test_splits_generator": ["loading.test_the_global_generators_are_left_alone"],
    "test_splits_have_correct_size": [
        "datasets.test_fractions_of_a_split_are_rounded_down_and_the_rest_goes_round"
    ],
    "test_default_collate_dtype": ["collate.test_text_stays_text"],
    "test_nested_tensor_multiprocessing": [
        "collate.test_arrays_of_unequal_shapes_are_refused_and_may_be_padded_by_a_hook"
    ],
    "test_iterable_style_dataset": [
        "streams.test_a_stream_that_asks_which_worker_reads_it_is_read_in_parts",
        "streams.test_module_08_cuts_a_stream_of_unknown_length_and_refuses_to_shuffle_it",
    ],
    "test_get_worker_info": ["streams.test_each_worker_has_a_copy_of_the_dataset"],
}

# Where our test asks for less than PyTorch's, or for something else.
LESS = {
    "TestDatasetRandomSplit.test_splits_generator": "no global generator ever moves",
    "TestDatasetRandomSplit.test_splits_reproducibility": "PyTorch's own numbers are not ours",
    "TestDatasetRandomSplit.test_slicing_of_subset_of_dataset": (
        "a Subset takes no slices; __getitems__ reads several rows"
    ),
    "TestDatasetRandomSplit.test_slicing_of_subset_of_subset": (
        "a Subset takes no slices; __getitems__ reads several rows"
    ),
    "TestStackDataset.test_mixed": "columns always have names",
    "TestConcatDataset.test_add_dataset": "datasets have no +; ConcatDataset joins them",
    "TestDataLoader.test_chain_iterable_style_dataset": "streams have no +",
    "TestDataLoader.test_error": ENDS_THE_LOOP,
    "TestDataLoader.test_error_workers": ENDS_THE_LOOP,
    "TestDataLoader.test_growing_dataset": "lab 08b asks for the length once, as fastai does",
    "TestDataLoader.test_invalid_assign_after_init": "only a sampler is checked",
    "TestDataLoader.test_invalid_ctor_args_combinations": (
        "a start method without workers is taken, and a context object is refused: give its name"
    ),
    "TestDataLoader.test_multiprocessing_contexts": "start methods have names, no context objects",
    "TestDataLoader.test_random_sampler": "replacement=0 is False",
    "TestDataLoader.test_iterable_style_dataset": (
        "a stream that does not ask which worker reads it gives each item once, so no warning of"
        " too many items is needed"
    ),
    "TestDataLoader.test_iterabledataset_len": (
        "module 08's loader of a stream has no length, even where the stream has one"
    ),
    "TestDataLoader.test_numpy_gen_state": "we have no copy of SeedSequence",
    "TestDataLoader.test_default_collate_shared_tensor": (
        "batches come out of shared memory as arrays of their own"
    ),
    "TestDataLoader.test_sampler_reproducibility": "samplers have seeds, no generators to share",
    "TestIndividualWorkerQueue.test_ind_worker_queue": (
        "the worker that has room makes the next batch; the order of batches is the same"
    ),
}
