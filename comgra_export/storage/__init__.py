"""The recording on disk, as `docs/recording-format.md` specifies it: writing it so that a crash loses little, reading it with distrust."""

from __future__ import annotations

from comgra_export.storage.arrays.layout_arrays import ExpectedArray, RecordPlace, expected_arrays, iterate_records
from comgra_export.storage.arrays.safetensors import ARRAY_DTYPES
from comgra_export.storage.codec.config import Config, Setting
from comgra_export.storage.codec.encode import encode_calls, encode_gap, encode_layout, encode_network, encode_note, encode_scalar
from comgra_export.storage.files.places import Place, is_address, place_of
from comgra_export.storage.files.remote import RemotePath
from comgra_export.storage.find import find_recordings
from comgra_export.storage.model.calls import CallEntry, CallTree, PortEntry
from comgra_export.storage.model.gradient_flows import FlowLayer, FlowNumbers, FlowPair, GradientFlow, PairNumbers
from comgra_export.storage.model.layout import (
    BATCH_AGGREGATIONS,
    FLAG_GRADIENT_ABSENT,
    NO_BATCH_AGGREGATION,
    Blob,
    Group,
    Kind,
    Layout,
    Shard,
    ShownTensor,
    SourceLine,
    Structure,
    TensorEntry,
    TensorType,
)
from comgra_export.storage.model.lines import (
    CurvePoint,
    Gap,
    JournalEntry,
    NonFiniteInput,
    NonFiniteOrigin,
    Note,
    OriginOperand,
    SentinelPoint,
    SessionEnd,
)
from comgra_export.storage.model.network import MOST_OPTIMIZERS, ModuleEntry, Network, OptimizerEntry, OptimizerGroup, ParameterEntry
from comgra_export.storage.model.recording import FORMAT, VERSION, Header
from comgra_export.storage.model.step_description import (
    DropoutCall,
    EstimatedNorms,
    GradientFacts,
    LossCall,
    ModuleRuns,
    ParameterFacts,
    RecordedSamples,
    StepDescription,
    StepException,
    TargetFact,
    TensorReference,
    TokenFact,
)
from comgra_export.storage.reader import Recording, open_recording
from comgra_export.storage.sessions import MissingStep, without_repeated_curves
from comgra_export.storage.text.json_codec import decode_number, dumps, encode_number, loads
from comgra_export.storage.text.limits import without_limits
from comgra_export.storage.text.names import check_folder_name, clean_text, folder_of_name, name_of_folder
from comgra_export.storage.verifying import verify
from comgra_export.storage.writer import RecordingWriter

__all__ = [
    "ARRAY_DTYPES",
    "BATCH_AGGREGATIONS",
    "FLAG_GRADIENT_ABSENT",
    "FORMAT",
    "MOST_OPTIMIZERS",
    "NO_BATCH_AGGREGATION",
    "VERSION",
    "Blob",
    "CallEntry",
    "CallTree",
    "Config",
    "CurvePoint",
    "DropoutCall",
    "EstimatedNorms",
    "ExpectedArray",
    "FlowLayer",
    "FlowNumbers",
    "FlowPair",
    "Gap",
    "GradientFacts",
    "GradientFlow",
    "Group",
    "Header",
    "JournalEntry",
    "Kind",
    "Layout",
    "LossCall",
    "MissingStep",
    "ModuleEntry",
    "ModuleRuns",
    "Network",
    "NonFiniteInput",
    "NonFiniteOrigin",
    "Note",
    "OptimizerEntry",
    "OptimizerGroup",
    "OriginOperand",
    "PairNumbers",
    "ParameterEntry",
    "ParameterFacts",
    "Place",
    "PortEntry",
    "RecordPlace",
    "RecordedSamples",
    "Recording",
    "RecordingWriter",
    "RemotePath",
    "SentinelPoint",
    "SessionEnd",
    "Setting",
    "Shard",
    "ShownTensor",
    "SourceLine",
    "StepDescription",
    "StepException",
    "Structure",
    "TargetFact",
    "TensorEntry",
    "TensorReference",
    "TensorType",
    "TokenFact",
    "check_folder_name",
    "clean_text",
    "decode_number",
    "dumps",
    "encode_calls",
    "encode_gap",
    "encode_layout",
    "encode_network",
    "encode_note",
    "encode_number",
    "encode_scalar",
    "expected_arrays",
    "find_recordings",
    "folder_of_name",
    "is_address",
    "iterate_records",
    "loads",
    "name_of_folder",
    "open_recording",
    "place_of",
    "verify",
    "without_limits",
    "without_repeated_curves",
]
