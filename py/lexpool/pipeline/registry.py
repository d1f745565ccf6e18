"""Descriptions of factories, under the name that pickled pipelines have for them."""

from .._components.factory import FactoryMeta as FactoryMeta, FunctionFactory as FunctionFactory
